// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting
import Testing

/// How often the bus wakes up while it watches sensors.
@Suite(.blocking, .timeLimit(.minutes(10))) struct WakeUpTests {
    /// The number of readings in which wake-ups are counted.
    private static let readings = 100

    @Test(
        "battery, proximity and orientation, watched together, take one wake-up an interval", arguments: [false, true])
    func wakeUpsAreShared(asleep: Bool) throws {
        let phone = try SyntheticPhone()
        // An interval is long enough that few wake-ups are late.
        let interval = asleep ? "idleSampleInterval: 0.04" : "idleSampleInterval: 3600"
        let bus = try BusProcess(
            configuration: """
                { battery: { pollInterval: 0.4 }, proximity: { sampleInterval: 0.04 },
                  orientation: { sampleInterval: 0.04 }, \(interval) }
                """, phone: phone)
        let state = asleep ? "background" : "foreground"
        let subscribers = try (0..<3).map { _ in
            try bus.subscribe("{\"aspects\":[\"battery\",\"proximity\",\"orientation\"],\"state\":\"\(state)\"}")
        }
        let proximity = try ReadCounter(of: "in_proximity_raw", on: phone)
        let orientation = try ReadCounter(of: "in_accel_z_raw", on: phone)
        // Until both sensors are read on the loop, and the background is quiet.
        try orientation.wait(for: 10)
        try proximity.wait(for: 10)
        let before = (proximity.count, try bus.wakeUps())
        try proximity.wait(for: before.0 + Self.readings)
        let (read, wakeUps) = (proximity.count - before.0, try bus.wakeUps() - before.1)
        #expect(Double(wakeUps) <= 1.2 * Double(read), "\(wakeUps) wake-ups for \(read) readings")
        withExtendedLifetime(subscribers) {}
    }
}
