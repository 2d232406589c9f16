// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille

/// Has a server read its settings again when they changed, and only then.
///
///     SettingsReloader org.example.server /run/user/1000/server.pid
///
/// Sends SIGHUP to the process of the file. A file that is written ten times at once, or to the same values, is
/// one signal or none.
@main
enum SettingsReloader {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else {
            print("usage: SettingsReloader DOMAIN PIDFILE")
            exit(64)
        }
        let (domain, pidFile) = (CommandLine.arguments[1], CommandLine.arguments[2])
        let device = try await Device.connect()
        let subscription = try await device.subscribe(to: .defaults, name: "reloader of \(domain)")
        print("waiting for \(domain)")
        fflush(nil)
        for try await event in subscription {
            for changed in event.defaults?.domains ?? [] where changed.name == domain {
                print("\(domain): \(changed.keys.joined(separator: " ")): \(reload(pidFile))")
                fflush(nil)
            }
        }
    }

    /// Says what came of it.
    private static func reload(_ pidFile: String) -> String {
        guard let file = fopen(pidFile, "r") else { return "\(pidFile): \(String(cString: strerror(errno)))" }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 32)
        guard fgets(&text, Int32(text.count), file) != nil else { return "\(pidFile) is empty" }
        let process = pid_t(atol(text))
        guard process > 0, kill(process, SIGHUP) == 0 else { return "\(pidFile) names no process" }
        return "process \(process) was told"
    }
}
