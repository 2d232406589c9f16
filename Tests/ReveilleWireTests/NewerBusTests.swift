// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing
import Varlink

@testable import ReveilleWire

/// Replies of a bus of a later version.
@Suite struct NewerBusTests {
    private static func battery(state: String, generation: JSON = 7) -> JSON {
        [
            "aspect": "battery", "generation": generation, "sequence": 9, "changes": 1, "netChange": true,
            "firstChangedAt": 1, "changedAt": 2, "dropped": 0,
            "battery": [
                "state": .string(state), "level": 0.5, "plugged": true, "chargeStatus": "swapping", "packs": [],
            ],
        ]
    }

    @Test func unknownWordIsDecodedAsUnknown() throws {
        let words = UnknownWords()
        let events = try [Event](["events": [Self.battery(state: "swap\nped")]], noting: words)
        #expect(events.map(\.generation) == [7])
        #expect(
            events.first?.reading
                == .battery(
                    Battery(
                        state: .unknown, level: 0.5, isPlugged: true, chargeStatus: .unknown, packs: [])))
        #expect(words.first == #"battery.state "swap\nped""#)
        // A search for each word would take quadratic time.
        words.note("else", in: { preconditionFailure("the field of a later word is sought") }())
    }

    @Test func eventOfAnUnknownAspectIsSkipped() throws {
        let words = UnknownWords()
        let events = try [Event](
            ["events": [["aspect": "weather", "weather": [:]], Self.battery(state: "full")]], noting: words)
        #expect(events.map(\.aspect) == [.battery])
        #expect(words.first == #"events.aspect "weather""#)
    }

    @Test(arguments: [JSON.integer(-1), .integer(.min), 0.5, "seven", .null])
    func invalidGenerationIsAnError(_ generation: JSON) throws {
        #expect(throws: CallError.invalidParameter("events.generation")) {
            try [Event](
                ["events": [Self.battery(state: "full", generation: generation)]], noting: UnknownWords())
        }
    }

    @Test func repliesWithoutEventsAreAnError() {
        #expect(throws: CallError.invalidParameter("events")) {
            try [Event]([:], noting: UnknownWords())
        }
    }

    @Test func unknownPendingAspectIsSkipped() throws {
        let subscription: JSON = [
            "subscription": "1", "name": .null, "pid": 1, "uid": 0, "aspects": ["battery", "weather"],
            "held": ["app", "asleep"], "events": 0, "changes": 0,
            "pending": [["aspect": "weather", "changes": 1], ["aspect": "battery", "changes": 2]],
        ]
        let read = try [SubscriptionInfo](["subscriptions": [subscription]], noting: UnknownWords())
        #expect(read.map(\.pending) == [[.battery: 2]])
        #expect(read.map(\.aspects) == [[.battery]])
        #expect(read.map(\.holds) == [.app])
    }
}
