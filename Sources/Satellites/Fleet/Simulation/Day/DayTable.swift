// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// The traffic of a simulated day, for each way in which a bridge can be connected.
package struct DayTable {
    /// Always the same day.
    private static let seed: UInt64 = 17
    /// The days of a month.
    private static let daysOfMonth = 30
    private static let modes: [(name: String, mode: DayBridge.Mode)] = [
        ("connected, an outbox", .everyChange),
        ("connected", .connected(interval: nil)),
        ("connected, `interval` 60", .connected(interval: 60)),
        ("connected, `interval` 900", .connected(interval: 900)),
        ("`wakeEvery` 900", .woken(every: 900)),
        ("`wakeEvery` 3600", .woken(every: 3_600)),
    ]

    let scenario: DayScenario

    /// The messages of a day by the names of the modes.
    package static func messages(of scenario: DayScenario) -> [(name: String, traffic: DayTraffic)] {
        let steps = PhoneDay.steps(of: scenario, seed: seed)
        return modes.map { ($0.name, DayBridge.traffic(of: steps, offline: scenario.offline, $0.mode)) }
    }

    func print() {
        let steps = PhoneDay.steps(of: scenario, seed: Self.seed)
        let counts = DayBridge.aspects.map { aspect in
            "\(steps.count { $0.reading.aspect == aspect }) of `\(aspect.name)`"
        }
        Swift.print(
            "A simulated day of \(scenario.summary): \(steps.count) changes, \(counts.joined(separator: ", ")).\n")
        Table.print(
            [
                "connection", "messages", "MQTT", "of it states", "keep-alives", "connecting", "with TLS, TCP, IP",
                "a month",
            ],
            Self.messages(of: scenario).map { name, traffic in
                [
                    name, "\(traffic.messages)", Table.kilobytes(traffic.bytes), Table.kilobytes(traffic.stateBytes),
                    Table.kilobytes(traffic.keepAliveBytes), Table.kilobytes(traffic.sessionBytes),
                    Table.kilobytes(traffic.onWire), Table.megabytes(traffic.onWire * Self.daysOfMonth),
                ]
            })
    }
}
