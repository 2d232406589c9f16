// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

@Suite struct PublishCallTests {
    /// Returns an object with this many levels of objects and arrays.
    private static func nested(_ depth: Int) -> JSON {
        depth == 1 ? [:] : ["a": (2..<depth).reduce([]) { array, _ in [array] }]
    }

    // MARK: - Publish

    @Test("B189: a value is brought into its canonical form, and null or no value withdraws the name")
    func valueIsCanonical() throws {
        let name = Aspect("org.example.volume")
        #expect(
            try Publish.called(with: ["aspect": "org.example.volume", "value": ["b": 1.0, "a": [-0.0]]])
                == Publish(PublishedValue(name, bytes: Array(#"{"a":[0],"b":1}"#.utf8))))
        #expect(
            try Publish.called(with: ["aspect": "org.example.volume", "whileConnected": true])
                == Publish(PublishedValue(name, bytes: nil), whileConnected: true))
        #expect(
            try Publish.called(with: ["aspect": "org.example.volume", "value": .null, "whileConnected": .null])
                == Publish(PublishedValue(name, bytes: nil)))
    }

    @Test(
        "a name that programs cannot publish is refused",
        arguments: [
            "", "battery", "weather", "org.example.*", "org.exämple", "org." + String(repeating: "n", count: 252),
        ])
    func invalidNameIsRefused(name: String) {
        #expect(throws: CallError.invalidParameter("aspect")) {
            try Publish.called(with: ["aspect": .string(name), "value": ["a": 1]])
        }
    }

    @Test("a value that is not an object is refused", arguments: [1, "x", true, [], [["a": 1]]] as [JSON])
    func valueMustBeAnObject(value: JSON) {
        #expect(throws: CallError.invalidParameter("value")) {
            try Publish.called(with: ["aspect": "org.example.volume", "value": value])
        }
    }

    @Test("the name is checked before the value") func nameIsCheckedFirst() {
        let deep = Self.nested(PublishedValue.depthLimit + 1)
        #expect(throws: CallError.invalidParameter("aspect")) {
            try Publish.called(with: ["aspect": "volume", "value": deep])
        }
    }

    @Test("a value may be nested as deeply as every reply can contain it") func depthIsLimitedByReplies() throws {
        let deepest = Self.nested(PublishedValue.depthLimit)
        let value = try Publish.called(with: ["aspect": "org.example.volume", "value": deepest]).value
        let event = EventCodingTests.event(.published(value))
        var writer = EventWriter()
        let head = SubscribeReply(subscription: "a", instance: "b", resumed: nil, events: []).head
        let frame = Reply.encode(parameters: writer.write([event], after: head), continues: true)
        let reply = try Reply(parsing: Array(frame.dropLast()))
        #expect(try [Event](reply.parameters, noting: UnknownWords()) == [event])
        let log = try Reply(parsing: [LogLine.change(event)].encoded().dropLast())
        #expect(try [LogLine](log.parameters, noting: UnknownWords()) == [.change(event)])
        let entry = try ScheduleEntry(id: "a", aspect: value.name, value: value.bytes, at: 0)
        let entries = [ScheduleListing(entry: entry, next: nil, fired: 0)]
        let list = try Reply(parsing: entries.encoded().dropLast())
        #expect(try [ScheduleListing](list.parameters, noting: UnknownWords()) == entries)
        #expect(try AddEntry.called(with: ["entry": entry.structure]).entry == entry)
    }

    @Test("a value that is nested deeper is refused, since no client could read the log of the bus")
    func deeperValueIsRefused() throws {
        let deeper = Self.nested(PublishedValue.depthLimit + 1)
        #expect(throws: CallError.invalidParameter("value")) {
            try Publish.called(with: ["aspect": "org.example.volume", "value": deeper])
        }
        #expect(throws: CallError.invalidParameter("entry.value")) {
            try AddEntry.called(with: ["entry": ["id": "a", "aspect": "org.example.volume", "at": 0, "value": deeper]])
        }
        let event = EventCodingTests.event(.published(PublishedValue("org.example.volume", deeper.objectValue)))
        #expect(throws: VarlinkError.self) { try Reply(parsing: [LogLine.change(event)].encoded().dropLast()) }
    }

    @Test("an import is encoded and decoded, and needs a generation and its instance; a Publish has neither")
    func imported() throws {
        let value = PublishedValue("org.example.volume", ["level": 1])
        let call = Import(value, instance: "a", generation: 7)
        #expect(try Import.called(with: call.parameters) == call)
        for part in ["generation", "instance"] {
            var parameters = call.parameters
            parameters[part] = nil
            #expect(throws: CallError.invalidParameter(part)) { try Import.called(with: parameters) }
        }
        var negative = call.parameters
        negative["generation"] = -1
        #expect(throws: CallError.invalidParameter("generation")) { try Import.called(with: negative) }
        #expect(throws: CallError.invalidParameter("instance")) { try Publish.called(with: call.parameters) }
    }

    // MARK: - Names and patterns of a subscription

    private static let withAspects: [any BusMethod.Type] = [Subscribe.self, GetState.self]

    @Test("names and patterns are aspects, with policies of their own")
    func subscribeParsesNames() throws {
        let parameters: JSONObject = [
            "aspects": ["org.example.*", "battery", "org.example.volume"],
            "resume": [["aspect": "org.example.player", "generation": 4]],
            "policies": [
                ["aspect": "org.example.*", "interval": 1_000],
                ["aspect": "org.example.player", "background": "drop"],
            ],
        ]
        let request = SubscriptionRequest(
            aspects: ["org.example.*", "battery", "org.example.volume"], positions: ["org.example.player": 4],
            policies: [
                "org.example.*": Policy(interval: .seconds(1)), "org.example.player": Policy(background: .drop),
            ])
        #expect(try Subscribe.called(with: parameters) == Subscribe(request))
    }

    @Test(
        "an invalid name or pattern is refused",
        arguments: ["org", "*", "org.exam*"])
    func invalidPatternIsRefused(pattern: String) {
        for method in Self.withAspects {
            #expect(throws: CallError.invalidParameter("aspects")) {
                try method.called(with: ["aspects": ["battery", .string(pattern)]])
            }
        }
    }

    @Test("more than 64 different aspects and patterns are refused") func aspectsAreLimited() {
        let names = (0..<64).map { JSON.string("org.example.n\($0)") }
        for method in Self.withAspects {
            #expect(throws: Never.self) { try method.called(with: ["aspects": .array(names + names)]) }
            #expect(throws: CallError.quotaExceeded(.aspects, limit: 64)) {
                try method.called(with: ["aspects": .array(names + ["org.example.*"])])
            }
        }
    }

    @Test("an interval is at least a millisecond and at most a year")
    func intervalHasARange() throws {
        for interval in [0, -1, .min, 31_536_000_001, .max] as [Int64] {
            #expect(throws: CallError.invalidParameter("policies.interval"), "\(interval)") {
                try Subscribe.called(with: ["policies": [["aspect": "battery", "interval": .integer(interval)]]])
            }
        }
        for interval in [1, 31_536_000_000] as [Int64] {
            let policy = Policy(interval: .milliseconds(interval))
            #expect(
                try Subscribe.called(with: ["policies": [["aspect": "battery", "interval": .integer(interval)]]])
                    == Subscribe(SubscriptionRequest(policies: [.battery: policy])))
        }
    }

    @Test(
        "a policy of a name or pattern that is not among the aspects is refused",
        arguments: ["org.example.player.*", "org.*", "org.other.volume", "weather"])
    func policyNeedsItsAspect(aspect: String) {
        #expect(throws: CallError.invalidParameter("policies.aspect")) {
            try Subscribe.called(with: [
                "aspects": ["org.example.*"], "policies": [["aspect": .string(aspect), "interval": 1]],
            ])
        }
    }

    @Test("a position of a pattern is refused") func positionIsOfAName() {
        #expect(throws: CallError.invalidParameter("resume.aspect")) {
            try Subscribe.called(with: ["resume": [["aspect": "org.example.*", "generation": 1]]])
        }
    }

    // MARK: - Events

    @Test("an event of a name contains the value as it was published, and null once it was withdrawn")
    func eventContainsTheValue() throws {
        var writer = EventWriter()
        let value = PublishedValue("org.example.volume", ["level": 0.5, "text": "a\u{2028}\"\n"])
        let event = EventCodingTests.event(.published(value))
        let text = String(decoding: writer.write([event]), as: UTF8.self)
        #expect(text.contains(#""aspect":"org.example.volume","#))
        #expect(text.hasSuffix(#""dropped":0,"value":{"level":0.5,"text":"a\#u{2028}\"\n"}}]}"#))
        #expect(writer.write([event]) == JSON.object([event].parameters).bytes)
        let withdrawn = EventCodingTests.event(
            .published(PublishedValue("org.example.volume", bytes: nil)), generation: 8)
        #expect(String(decoding: writer.write([withdrawn]), as: UTF8.self).hasSuffix(#""value":null}]}"#))
        for event in [event, withdrawn] {
            #expect(try Event(structure: event.structure) == event)
        }
    }

    @Test("events of many names with long values are written correctly, whatever is kept of them")
    func manyNamesAreWritten() {
        var writer = EventWriter()
        let long = JSON.string(String(repeating: "x", count: 4_000))
        let events = (0..<3_000).map { number in
            EventCodingTests.event(
                .published(PublishedValue(Aspect("org.example.n\(number)")!, ["a": long])), changes: number % 3)
        }
        for event in events + events.reversed() {
            #expect(writer.write([event]) == JSON.object([event].parameters).bytes)
        }
    }
}
