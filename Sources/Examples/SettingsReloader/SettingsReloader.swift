// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille

/// Makes a server reload its settings when, and only when, they have changed.
///
///     SettingsReloader org.example.server /run/user/1000/server.pid
///
/// Sends SIGHUP to the process in the PID file. Several writes in quick succession send one signal, and writing equal
/// values sends none.
@main
enum SettingsReloader {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else {
            print("usage: SettingsReloader DOMAIN PIDFILE")
            exit(64)
        }
        let (domain, pidFile) = (CommandLine.arguments[1], CommandLine.arguments[2])
        let device = try await Device.connect()
        let subscription = try await device.subscribe(
            to: [.defaults], options: SubscriptionOptions(name: "reloader of \(domain)"))
        print("waiting for \(domain)")
        fflush(nil)
        for try await event in subscription {
            for changed in event.defaults?.domains ?? [] where changed.name == domain {
                print("\(domain): \(changed.keys.joined(separator: " ")): \(reload(pidFile))")
                fflush(nil)
            }
        }
    }

    /// Sends the signal and returns a description of the result.
    private static func reload(_ pidFile: String) -> String {
        guard let file = fopen(pidFile, "r") else { return "\(pidFile): \(String(cString: strerror(errno)))" }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 32)
        guard fgets(&text, Int32(text.count), file) != nil else { return "\(pidFile) is empty" }
        let process = pid_t(atol(text))
        guard process > 0, kill(process, SIGHUP) == 0 else { return "\(pidFile) does not name a running process" }
        return "sent SIGHUP to process \(process)"
    }
}
