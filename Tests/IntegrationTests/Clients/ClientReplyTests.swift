// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing
import Varlink

/// The clients for Python and Node with a bus that is newer, or that violates the protocol.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: Node.isThere || Node.isRequired, "no Node.js"))
struct ClientReplyTests {
    private let bus: ScriptedBus

    init() throws {
        bus = try ScriptedBus()
    }

    @Test(arguments: ClientLanguage.separate) func splitAndJoinedFramesAreUnderstood(language: ClientLanguage) throws {
        let (client, calls, stream) = try bus.subscriber(language)
        let next = try client.begin("next", ["of": "s"])
        for byte in ScriptedBus.reply(ScriptedBus.battery(1, 0.5)).utf8 { try stream.send(bytes: [byte]) }
        try stream.send(bytes: [0])
        #expect(try client.result(of: next).objectValue?.levelAndChanges == [0.5, 1])
        let both = [0.4, 0.3].enumerated().map { ScriptedBus.reply(ScriptedBus.battery(2 + $0, $1)) + "\0" }.joined()
        try stream.send(bytes: Array(both.utf8))
        #expect(try client.next(2).map(\.levelAndChanges) == [[0.4, 1], [0.3, 1]])

        let get = try client.begin("get", ["arguments": ["battery"]])
        _ = try calls.receiveText()
        let reply = #"{"parameters":{"instance":"i","events":[\#(ScriptedBus.battery(4, 0.2, changes: 0))]}}"#
        for byte in Array(reply.utf8) + [0] { try calls.send(bytes: [byte]) }
        #expect(try client.result(of: get).objectValue?.levelAndChanges == [0.2, 0])
    }

    @Test(arguments: ClientLanguage.separate) func aspectsAndMembersOfNewerBusesAreIgnored(
        language: ClientLanguage
    ) throws {
        let (client, _, stream) = try bus.subscriber(language, to: ["battery", "motion"])
        let strange = #"{"aspect":"weather","weather":"fine"}"#
        let stateless = ScriptedBus.event("motion", 3, #""other":{}"#)
        let newer = ScriptedBus.event("battery", 1, #""battery":{"level":0.5,"mood":[1]},"cause":{"x":[]}"#)
        try stream.send(
            #"{"parameters":{"events":[\#(strange),\#(stateless),\#(newer)],"more":1},"continues":true,"x":1}"#)
        #expect(try client.next()?.levelAndChanges == [0.5, 1])
        #expect(try client.positions().objectValue?["generations"] == ["battery": 1])
    }

    @Test("a word of tomorrow is passed on as it is", arguments: ClientLanguage.separate)
    func wordOfTomorrowIsPassedOn(language: ClientLanguage) throws {
        let (client, _, stream) = try bus.subscriber(language, to: ["lifecycle"])
        try stream.send(ScriptedBus.reply(ScriptedBus.event("lifecycle", 1, #""lifecycle":{"state":"hibernating"}"#)))
        #expect(try client.next()?.state == ["state": "hibernating"])
    }

    @Test("closing a client ends the wait for a suspension", arguments: ClientLanguage.separate)
    func closeEndsTheWaitForASuspension(language: ClientLanguage) throws {
        let (client, _) = try bus.client(language)
        let suspending = try client.begin("suspend", ["arguments": ["s"]])
        let connection = try bus.accept()
        #expect(try connection.receiveText(seconds: 30)?.contains("suspended") == true)
        try client.call("close")
        let failure = #expect(throws: ClientProgram.Failure.self) { try client.result(of: suspending) }
        #expect(failure?.code == "closed" && failure?.message == "SetState s: the bus object is closed")
        #expect(try connection.receiveText(seconds: 30) == nil)
    }

    private static let invalid: [String] = [
        "garbage", "", "[]", #"{"parameters":[]}"#, #"{"parameters":{},"continues":true}"#,
        #"{"parameters":{"events":[1]},"continues":true}"#, #"{"parameters":{"events":[{}]},"continues":true}"#,
        ScriptedBus.reply(ScriptedBus.event("battery", 1, #""battery":7"#)),
        ScriptedBus.reply(ScriptedBus.battery(1, 0.5).replacing(#""generation":1"#, with: #""generation":"one""#)),
        String(repeating: "[", count: 100_000),
    ]

    @Test(arguments: ClientLanguage.separate) func invalidReplyEndsTheSubscription(language: ClientLanguage) throws {
        let (client, calls) = try bus.client(language)
        for reply in Self.invalid.map({ Array($0.utf8) }) + [[0x22, 0xFF, 0x22]] {
            let subscribing = try client.begin("subscribe", ["of": "s", "aspects": ["battery"], "options": [:]])
            let (stream, _) = try bus.acceptStream()
            try stream.send(ScriptedBus.first())
            _ = try client.result(of: subscribing)
            try stream.send(bytes: reply + [0])
            let failure = #expect(throws: ClientProgram.Failure.self) { try client.next() }
            #expect(failure?.message.hasPrefix("the bus sent an invalid reply: ") == true)
            #expect(failure?.code == "invalidReply" && failure?.name == nil)
            #expect(try client.next() == nil)
            #expect(try stream.receiveText() == nil, "the connection ends")
        }
        // Calls are not affected.
        let refresh = try client.begin("refresh")
        _ = try calls.receiveText()
        try calls.send("{}")
        _ = try client.result(of: refresh)
    }

    @Test(arguments: ClientLanguage.separate) func replyWithoutEndIsAnError(language: ClientLanguage) throws {
        let (client, _, stream) = try bus.subscriber(language)
        let next = try client.begin("next", ["of": "s"])
        let chunk = [UInt8](repeating: 0x20, count: 1 << 20)
        // The client closes the connection when it has received too much.
        for _ in 0..<80 { if (try? stream.send(bytes: chunk)) == nil { break } }
        let failure = #expect(throws: ClientProgram.Failure.self) { try client.result(of: next) }
        #expect(failure?.message == "the bus sent an invalid reply: longer than 67108864 bytes")
    }

    @Test(arguments: ClientLanguage.separate) func lostStreamIsOpenedFromItsPositions(language: ClientLanguage) throws {
        let state = ScriptedBus.battery(3, 0.5, changes: 0)
        let (client, _, stream) = try bus.subscriber(language, [state])
        let next = try client.begin("next", ["of": "s"])
        stream.finishSending()
        let (second, request) = try bus.acceptStream()
        #expect(request["instance"] == "i")
        #expect(request["resume"] == [["aspect": "battery", "generation": 3]])
        #expect(request["state"] == "foreground")
        try second.send(ScriptedBus.first([ScriptedBus.battery(5, 0.4, changes: 2)], resumed: true))
        #expect(try client.result(of: next).objectValue?.levelAndChanges == [0.4, 2])
        // Another instance: the positions are replaced.
        second.finishSending()
        let later = try client.begin("next", ["of": "s"])
        let (third, _) = try bus.acceptStream()
        let new = ScriptedBus.battery(1, 0.4, changes: 0)
        try third.send(ScriptedBus.first([new], instance: "j", resumed: false))
        #expect(try client.result(of: later).objectValue?.levelAndChanges == [0.4, 0])
        #expect(try client.positions() == ["instance": "j", "generations": ["battery": 1]])
    }

    @Test(arguments: ClientLanguage.separate) func exhaustedQuotaIsTriedAgain(language: ClientLanguage) throws {
        let (client, _, stream) = try bus.subscriber(language)
        let next = try client.begin("next", ["of": "s"])
        stream.finishSending()
        let (refused, _) = try bus.acceptStream()
        let quota = #""parameters":{"quota":"connections","limit":64}"#
        try refused.send(#"{"error":"org.reveille.Bus.QuotaExceeded",\#(quota)}"#)
        let (accepted, _) = try bus.acceptStream()
        try accepted.send(ScriptedBus.first([ScriptedBus.battery(1, 0.5)], resumed: true))
        #expect(try client.result(of: next).objectValue?.levelAndChanges == [0.5, 1])
        // Other refusals are final.
        let last = try client.begin("next", ["of": "s"])
        try accepted.send(#"{"error":"org.varlink.service.PermissionDenied"}"#)
        let failure = #expect(throws: ClientProgram.Failure.self) { try client.result(of: last) }
        #expect(failure?.message == "Subscribe battery: PermissionDenied")
        #expect(failure?.code == "notPermitted" && failure?.name == "org.varlink.service.PermissionDenied")
        #expect(try client.next() == nil)
    }

    @Test(arguments: ClientLanguage.separate) func positionsThatDoNotFitAreComparedByTheClient(
        language: ClientLanguage
    ) throws {
        let (client, _) = try bus.client(language)
        let members = (0..<2_000).map { JSONObject.Member(name: "org.example.name\($0)", value: .integer(Int64($0))) }
        let resume: JSON = ["instance": "i", "generations": .object(JSONObject(members: members))]
        let subscribing = try client.begin(
            "subscribe", ["of": "s", "aspects": ["org.example.*"], "options": ["resume": resume]])
        let (stream, request) = try bus.acceptStream()
        let sent = Set(request.objects("resume").map(\.aspect))
        #expect(1_000..<2_000 ~= sent.count && !sent.contains("org.example.name999"))
        // To the bus, the last names in order are new.
        let events = [("name1", 9, 8), ("name998", 998, 900), ("name999", 1_002, 900)].map {
            name, generation, changes in
            ScriptedBus.event("org.example.\(name)", generation, changes: changes, #""value":{"x":1}"#)
        }
        try stream.send(ScriptedBus.first(events, resumed: true))
        _ = try client.result(of: subscribing)
        let changed = try client.next(2)
        #expect(changed.map(\.aspect) == ["org.example.name1", "org.example.name999"])
        #expect(changed.map { $0.integer("changes") } == [8, 3])
        #expect(try client.next()?["state"] == .null, "names that the reply lacks are withdrawn")
    }
}
