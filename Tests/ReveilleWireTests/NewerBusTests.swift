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

    @Test("an event without its state is skipped, and noted", arguments: [nil, JSON.null])
    func eventWithoutAState(state: JSON?) throws {
        let words = UnknownWords()
        guard var event = Self.battery(state: "full").objectValue else { throw CallError.invalidParameter("event") }
        event["battery"] = state
        let events = try [Event](["events": [.object(event), Self.battery(state: "full")]], noting: words)
        #expect(events.count == 1)
        #expect(words.first == "events.battery null")
        event["battery"] = 5
        #expect(throws: CallError.invalidParameter("battery")) {
            try [Event](["events": [.object(event)]], noting: UnknownWords())
        }
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

    @Test("a word of tomorrow in any field of words reads as unknown, or as null, and cannot be posted")
    func everyFieldOfWords() throws {
        var count = 0
        for reading in SampleStates.readings {
            for field in reading.aspect.builtIn?.fields ?? [] where !field.values.words.isEmpty {
                count += 1
                let path = field.path[...]
                let state = ReadingCoding.encode(reading).replacing(path, by: "hibernating")
                let words = UnknownWords()
                let read = try ReadingCoding.decode(state, of: reading.aspect, noting: words)
                let word: JSON = field.values.words.contains("null") ? .null : "unknown"
                #expect(ReadingCoding.encode(read).values(at: path) == [word], "\(reading.aspect) \(field.name)")
                #expect(words.first == #"\#(reading.aspect).\#(field.name) "hibernating""#)
                #expect(throws: CallError.invalidParameter("\(reading.aspect).\(field.name)")) {
                    try ReadingCoding.decode(state, of: reading.aspect)
                }
            }
        }
        #expect(count == 10)
    }

    @Test(
        "a state that only means a word of tomorrow is not one of the interface's words",
        arguments: [Aspect.sleep, .lifecycle])
    func unknownIsNotPosted(aspect: Aspect) {
        #expect(throws: CallError.invalidParameter("\(aspect).state")) {
            try ReadingCoding.decode(["state": "unknown"], of: aspect)
        }
        #expect(aspect.builtIn?.fields.first?.values.words.contains("unknown") == false)
    }

    @Test func unknownWordOfAnEntryIsUnknown() throws {
        let entry: JSON = ["id": "a", "aspect": "org.example.a", "at": 1, "ifMissed": "later"]
        let listed: JSONObject = ["entries": [["entry": entry, "next": 1, "fired": 0]]]
        #expect(try [ScheduleListing](listed, noting: UnknownWords()).map(\.entry.ifMissed) == [.unknown])
        #expect(throws: CallError.invalidParameter("ifMissed")) {
            try ScheduleEntry(structure: ["id": "a", "aspect": "org.example.a", "at": 1, "ifMissed": "unknown"])
        }
    }

    @Test func unknownPendingAspectIsSkipped() throws {
        let subscription: JSON = [
            "subscription": "1", "name": .null, "pid": 1, "uid": 0, "aspects": ["battery", "weather"],
            "held": ["app", "asleep"], "events": 0, "changes": 0, "lifecycle": "hibernating",
            "pending": [["aspect": "weather", "changes": 1], ["aspect": "battery", "changes": 2]],
        ]
        let read = try [SubscriptionInfo](["subscriptions": [subscription]], noting: UnknownWords())
        #expect(read.map(\.pending) == [[.battery: 2]])
        #expect(read.map(\.aspects) == [[.battery]])
        #expect(read.map(\.holds) == [[.app, .unknown]])
        #expect(read.map(\.lifecycle) == [.unknown])
    }
}

extension JSON {
    fileprivate func replacing(_ path: ArraySlice<String>, by word: JSON) -> JSON {
        if let elements = arrayValue { return .array(elements.map { $0.replacing(path, by: word) }) }
        guard let name = path.first, var object = objectValue else { return word }
        object[name] = (object[name] ?? .null).replacing(path.dropFirst(), by: word)
        return .object(object)
    }

    fileprivate func values(at path: ArraySlice<String>) -> [JSON] {
        if let elements = arrayValue { return elements.flatMap { $0.values(at: path) } }
        guard let name = path.first else { return [self] }
        return (objectValue?[name] ?? .null).values(at: path.dropFirst())
    }
}
