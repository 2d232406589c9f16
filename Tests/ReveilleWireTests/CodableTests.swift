// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import FoundationEssentials
import ReveilleCore
import ReveilleWire
import Testing
import Varlink

/// Events as programs store them have the shape that they have on the wire.
@Suite(.timeLimit(.minutes(10))) struct CodableTests {
    private static func event(_ reading: Reading) throws -> Event {
        let structure = EventCoding.encode(
            Event(
                reading: reading, generation: 3, sequence: 9, changes: 2, netChange: false,
                firstChangedAt: Timestamp(microseconds: 1), changedAt: Timestamp(microseconds: 2), dropped: 1))
        return try EventCoding.decode(structure)
    }

    @Test(arguments: EventCodingTests.readings)
    func eventIsWrittenAsOnTheWire(reading: Reading) throws {
        let event = try Self.event(reading)
        let written = try JSON.parse(Array(JSONEncoder().encode(event)))
        #expect(try EventCoding.decode(written) == event)
        let told = Data(EventCoding.encode(event).description.utf8)
        #expect(try JSONDecoder().decode(Event.self, from: told) == event)
        #expect(try JSONDecoder().decode(Event.self, from: JSONEncoder().encode(event)) == event)
    }

    @Test(
        arguments: [
            (.battery(Battery(state: .charging, level: 0.5)), "battery: charging, 50%"),
            (.battery(.unknown), "battery: unknown"), (.proximity(.near), "proximity: near"),
            (.orientation(Orientation(pose: .faceUp, planar: .portrait)), "orientation: faceUp, last upright portrait"),
            (.orientation(.unknown), "orientation: unknown"), (.locale(.posix), "locale: en_US_POSIX"),
            (
                .defaults(
                    Defaults(domains: [
                        Defaults.Domain(name: "a", path: "/a.json", values: ["x": 0, "y": 0], isOpaque: false),
                        Defaults.Domain(name: "b", path: "/b", values: [:], isOpaque: true),
                    ])), "defaults: a: x y; b (opaque)"
            ),
        ] as [(Reading, String)])
    func eventIsALineForPeople(reading: Reading, state: String) throws {
        #expect(try Self.event(reading).description == state + " (2 changes, back where it was, 1 dropped)")
    }
}
