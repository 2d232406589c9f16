// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetSimulation
import Testing

/// The figures in Docs/Fleet.md.
@Suite struct FleetDayTests {
    @Test("packets have the sizes of the standard's layouts")
    func packetSizes() {
        // A type and a length, the topic after its length, an identifier, no properties, and the payload.
        #expect(PacketSize.publish("a", 1) == 2 + 3 + 2 + 1 + 1)
        #expect(PacketSize.publish("a", 1, hasExpiry: true) == 2 + 3 + 2 + 6 + 1)
        // From 128 bytes on, the length has two bytes.
        #expect(PacketSize.publish("a", 121) == 2 + 127)
        #expect(PacketSize.publish("a", 122) == 3 + 128)
        #expect(PacketSize.ping == 2)
        #expect(PacketSize.puback == 4)
    }

    @Test(
        "a day has fewer messages the more is merged, and each message counts its changes", arguments: DayScenario.all)
    func mergingSavesMessages(scenario: DayScenario) {
        let days = DayTable.messages(of: scenario)
        let counts = days.map(\.traffic.messages)
        #expect(counts[0] == days[0].traffic.changes, "an outbox merges nothing")
        #expect(counts[1] < counts[0])
        #expect(counts[1...3].elementsEqual(counts[1...3].sorted(by: >)))
        #expect(counts[5] < counts[4])
        for day in days { #expect(day.traffic.changes <= counts[0] && day.traffic.changes >= day.traffic.messages) }
    }

    @Test("a fleet returns later than its broker, and never all at once", arguments: [0.0, 5, 60])
    func fullJitter(outage: Double) {
        let model = JitterModel(count: 10_000, outage: outage)
        #expect(model.returns.first ?? -1 >= 0)
        #expect(model.peak < 450)
    }
}
