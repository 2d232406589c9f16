// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

/// Messages share the memory for their values with the messages before them.
@Suite struct KeptMessageTests {
    /// Texts of parameters, each with more, fewer or other values than the previous text.
    private static let texts = [
        #"{"a":[1,2,{"b":"x"}],"c":null}"#, "{}", #"{"\u0061":"\u00e9\n","b":{"c":{"d":[true]}}}"#, #"{"a":"plain"}"#,
        "{\"many\":[" + (0..<300).map(String.init).joined(separator: ",") + "]}", #"{"after":-1.5}"#,
        "{\"long\":\"" + String(repeating: #"é\""#, count: 2_000) + "\"}", #"{"":{"":{}}}"#,
    ]

    private static var stream: [UInt8] {
        texts.flatMap { utf8(#"{"method":"a.b.M","parameters":\#($0)}"# + "\0") }
    }

    @Test func keptCallsAreUnaffectedByLaterCalls() throws {
        var session = ServerSession()
        session.receive(Self.stream)
        var calls: [Call] = []
        while let call = try session.nextCall() {
            calls.append(call)
            _ = session.reply()
        }
        #expect(calls.map(\.method) == Self.texts.map { _ in "a.b.M" })
        #expect(calls.map { JSON.object($0.parameters) } == Self.texts.map { NaiveJSON.value(utf8($0)) })
    }

    @Test func partsOfDiscardedCallsAreKept() throws {
        var session = ServerSession()
        session.receive(Self.stream)
        var parts: [JSON?] = []
        while let call = try session.nextCall() {
            parts.append(call.parameters.members.first?.value)
            _ = session.reply()
        }
        #expect(parts == Self.texts.map { NaiveJSON.value(utf8($0))?.objectValue?.members.first?.value })
    }

    @Test func keptRepliesAreUnaffectedByLaterReplies() throws {
        var session = ClientSession()
        _ = session.call(Call(method: "a.b.M", mode: .more))
        for text in Self.texts { session.receive(text: #"{"parameters":\#(text),"continues":true}"# + "\0") }
        var replies: [Reply] = []
        while let reply = try session.nextReply() { replies.append(reply) }
        #expect(replies.map { JSON.object($0.parameters) } == Self.texts.map { NaiveJSON.value(utf8($0)) })
    }

    @Test("V2, V3: the same calls are read from two and three parts of a stream, wherever they are split")
    func callsAreTheSameForEachSplit() throws {
        let texts = [Self.texts[0], Self.texts[2], "{}"]
        let bytes = texts.flatMap { utf8(#"{"parameters":\#($0),"method":"a.b.\u004d"}"# + "\0") }
        for split in 0...bytes.count {
            for second in Set([split, min(split + 1, bytes.count), (split + bytes.count) / 2]) {
                var session = ServerSession()
                var calls: [Call] = []
                for part in [bytes[..<split], bytes[split..<second], bytes[second...]] {
                    session.receive(Array(part))
                    while let call = try session.nextCall() {
                        calls.append(call)
                        _ = session.reply()
                    }
                }
                try #require(calls.map { $0.parameters.description } == texts.map(canonicalEscapes))
                try #require(calls.allSatisfy { $0.member == "M" })
            }
        }
    }

    private func canonicalEscapes(_ text: String) -> String {
        NaiveJSON.value(utf8(text))?.description ?? ""
    }

    @Test func objectsThatAreChangedDoNotAffectTheirCall() throws {
        let call = try Call(text: #"{"method":"a.b.A","parameters":{"x":{"y":1},"x":{"y":2}}}"#)
        var object = try #require(call.parameters["x"]?.objectValue)
        object["y"] = 3
        object["z"] = .object(call.parameters)
        #expect(object == ["y": 3, "z": ["x": ["y": 1], "x": ["y": 2]]])
        #expect(call.parameters.description == #"{"x":{"y":1},"x":{"y":2}}"#)
        var changed = call
        changed.parameters["x"] = nil
        #expect(changed.parameters.isEmpty && !call.parameters.isEmpty)
        #expect(changed != call && changed.method == call.method)
    }

    @Test func parsedAndCreatedObjectsAreEqual() throws {
        for text in Self.texts {
            let parsed = try JSON.parse(text: text)
            let created = try #require(NaiveJSON.value(utf8(text)))
            #expect(parsed == created && created == parsed && parsed.hashValue == created.hashValue)
            #expect(parsed.bytes == created.bytes && parsed.canonical == created.canonical)
            #expect(parsed.objectValue?.isEmpty == created.objectValue?.isEmpty)
        }
    }
}
