// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import FoundationEssentials
import ReveilleCore
import ReveilleWire
import Testing
import Varlink

/// The Codable form of events, which equals their form on the wire.
@Suite(.timeLimit(.minutes(10))) struct CodableTests {
    private static func event(_ reading: Reading) throws -> Event {
        let structure = EventCoding.encode(
            Event(
                reading: reading, generation: 3, sequence: 9, changes: 2, netChange: false,
                firstChangedAt: Timestamp(microseconds: 1), changedAt: Timestamp(microseconds: 2), dropped: 1))
        return try EventCoding.decode(structure)
    }

    @Test(arguments: EventCodingTests.readings)
    func eventIsEncodedAsOnTheWire(reading: Reading) throws {
        let event = try Self.event(reading)
        let written = try JSON.parse(Array(JSONEncoder().encode(event)))
        #expect(try EventCoding.decode(written) == event)
        let wireForm = Data(EventCoding.encode(event).description.utf8)
        #expect(try JSONDecoder().decode(Event.self, from: wireForm) == event)
        #expect(try JSONDecoder().decode(Event.self, from: JSONEncoder().encode(event)) == event)
    }

    @Test func eventsHaveAReadableDescription() throws {
        let lines = try EventCodingTests.readings.map { try Self.event($0).description }
        #expect(
            lines == [
                "locale: es_ES (2 changes, back where it was, 1 dropped)",
                "defaults: app: k l; b (opaque) (2 changes, back where it was, 1 dropped)",
                "battery: charging, 50 % (2 changes, back where it was, 1 dropped)",
                "battery: unknown (2 changes, back where it was, 1 dropped)",
                "proximity: near (2 changes, back where it was, 1 dropped)",
                "orientation: faceUp, last upright portrait (2 changes, back where it was, 1 dropped)",
            ])
    }
}
