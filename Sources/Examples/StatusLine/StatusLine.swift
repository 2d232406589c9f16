// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille

/// Prints a line for a status bar after each change, such as `62% charging  landscapeLeft  de_DE`.
///
/// Works with i3bar, polybar, waybar and other bars that show a program's last line; idle without changes.
@main
enum StatusLine {
    static func main() async throws {
        let device = try await Device.connect()
        let subscription = try await device.subscribe(
            to: [.battery, .orientation, .locale], initial: true, name: "status line")
        var parts: [Aspect: String] = [:]
        for try await event in subscription {
            parts[event.aspect] = text(event.reading)
            // Until all three are known, nothing is printed.
            guard parts.count == 3 else { continue }
            print([.battery, .orientation, .locale].compactMap { parts[$0] }.joined(separator: "  "))
            fflush(nil)
        }
    }

    private static func text(_ reading: Reading) -> String {
        switch reading {
        case .battery(let battery):
            guard let level = battery.level else { return "no battery" }
            return "\(Int((level * 100).rounded()))% \(battery.state)"
        case .orientation(let orientation): return "\(orientation.planar ?? orientation.pose)"
        case .locale(let locale): return locale.identifier
        default: return "\(reading)"
        }
    }
}
