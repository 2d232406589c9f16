// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille

/// Reminds of something at intervals, without running in between.
///
///     Reminder 3600 /home/me/reminders "stand up"
///
/// The program puts an entry on the schedule and ends. Whenever the entry is due, the bus starts the program again. The
/// program writes a line into the file, with the number of reminders since the last line, and ends.
@main
enum Reminder {
    private struct Note: Codable {
        var file: String
        var text: String
    }

    private static let name = PublishedName<Note>("org.reveille.example.reminder")

    static func main() async {
        do {
            let device = try await Device.connect()
            if Device.launch == nil { try await schedule(on: device) } else { try await remind(device) }
        } catch {
            print("Reminder: \(error)")
            exit(1)
        }
    }

    private static func schedule(on device: Device) async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let seconds = Int(arguments[1]), seconds > 0,
            let program = absolutePath(arguments[0]), let file = absolutePath(arguments[2], isNew: true)
        else {
            print("usage: Reminder SECONDS FILE TEXT")
            exit(64)
        }
        try await device.schedule(
            ScheduleRequest(
                "reminder", publishing: name, .every(.seconds(seconds)), value: Note(file: file, text: arguments[3]),
                launch: [program]))
        print("reminding every \(seconds) seconds; 'reveille schedule cancel reminder' ends it")
    }

    /// Returns an absolute path, since the bus starts the program in another directory.
    private static func absolutePath(_ path: String, isNew: Bool = false) -> String? {
        if isNew, let file = fopen(path, "a") { fclose(file) }
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func remind(_ device: Device) async throws {
        // Continues from the position before the reminders, so the first event has all of them.
        let subscription = try await device.subscribe(
            to: [name.aspect], options: SubscriptionOptions(name: "reminder"))
        guard let event = try await subscription.next(), let note = try event.value(of: name) else { return }
        guard let file = fopen(note.file, "a") else {
            return print("Reminder: \(note.file) cannot be written: \(String(cString: strerror(errno)))")
        }
        fputs(event.changeCount == 1 ? "\(note.text)\n" : "\(note.text), \(event.changeCount) times\n", file)
        fclose(file)
    }
}
