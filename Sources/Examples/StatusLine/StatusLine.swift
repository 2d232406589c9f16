// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille

/// Prints a line for a status bar after each change, such as `62% charging  landscapeLeft  de_DE  Clocks`.
///
/// Works with i3bar, polybar, waybar and other bars that show a program's last line; idle without changes. With
/// `reveille-dbus`, the line has the titles that players play. While the session is locked, nobody sees the line, and only
/// the end of the lock wakes this program.
@main
enum StatusLine {
    private static let session = PublishedName<Session>("org.freedesktop.login1.session")
    private static let always: [Aspect] = [.battery, .orientation, .locale]

    private struct Session: Decodable {
        var locked: Bool?
    }

    private struct Player: Decodable {
        var status: String?
        var metadata: Metadata?

        struct Metadata: Decodable {
            var title: String?

            enum CodingKeys: String, CodingKey {
                case title = "xesam:title"
            }
        }
    }

    static func main() async throws {
        let device = try await Device.connect()
        let subscription = try await device.subscribe(
            to: [.battery, .orientation, .locale, session.aspect, "org.mpris.player.*"],
            options: SubscriptionOptions(
                initial: true, policies: [session.aspect: Policy(background: .immediate)], name: "status line"))
        var parts: [Aspect: String] = [:]
        var shown = ""
        for try await events in subscription.batches {
            for event in events {
                guard event.aspect != session.aspect else {
                    if try event.value(of: session)?.locked == true {
                        try await subscription.enterBackground()
                    } else {
                        try await subscription.enterForeground()
                    }
                    continue
                }
                parts[event.aspect] = try text(event.reading)
            }
            // Until all of these are known, nothing is printed.
            guard always.allSatisfy({ parts[$0] != nil }) else { continue }
            let players = parts.keys.filter { !always.contains($0) }.sorted { $0.name < $1.name }
            let line = (always + players).compactMap { parts[$0] }.joined(separator: "  ")
            if line != shown { print(line) }
            shown = line
            fflush(nil)
        }
    }

    private static func text(_ reading: Reading) throws -> String? {
        switch reading {
        case .battery(let battery):
            guard let level = battery.level else { return "no battery" }
            return "\(Int((level * 100).rounded()))% \(battery.state)"
        case .orientation(let orientation): return "\(orientation.planar ?? orientation.pose)"
        case .locale(let locale): return locale.identifier
        case .published(let value):
            let player = try value.decode(as: Player.self)
            return player?.status == "Playing" ? player?.metadata?.title : nil
        default: return "\(reading)"
        }
    }
}
