// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

/// Names are compared by their bytes in UTF-8: neither RFC 8259 nor Varlink normalizes them.
@Suite struct MemberNameTests {
    /// Names that are equal as strings, the first one in ASCII where the language allows no others.
    private static let equalStrings = [("K", "\u{212A}"), ("é", "e\u{301}"), ("Å", "\u{212B}"), (";", "\u{37E}")]

    @Test func equalStringsAreDifferentNames() throws {
        for (one, other) in Self.equalStrings {
            try #require(one == other)
            for (first, second) in [(one, other), (other, one)] {
                let parsed = try #require(try JSON.parse(text: "{\"\(first)\":1,\"\(second)\":2}").objectValue)
                let created: JSONObject = JSONObject(members: parsed.members)
                for var object in [parsed, created] {
                    #expect(object[first] == 1 && object[second] == 2)
                    object[first] = 3
                    #expect(object.members.map(\.value) == [3, 2])
                    object[second] = nil
                    #expect(object[first] == 3 && object[second] == nil)
                }
                #expect(parsed.canonical.members.count == 2)
                #expect(try JSON.parse(text: "{\"\(first)\":1}").objectValue?[second] == nil)
            }
        }
    }

    @Test func escapedNameIsTheSameName() throws {
        for text in [#"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"\u0061":1,"\u0061":2}"#] {
            let object = try #require(try JSON.parse(text: text).objectValue)
            #expect(object.members.map(\.name) == ["a", "a"])
            #expect(object["a"] == 2)
            #expect(object.canonical == ["a": 2])
            #expect(object.description == #"{"a":1,"a":2}"#)
        }
        let call = try Call(
            text: #"{"m\u0065thod":"a.b.M","p\u0061rameters":{"x":1},"parameters":{"x":2},"mor\u0065":true}"#)
        #expect(call == Call(method: "a.b.M", parameters: ["x": 2], mode: .more))
        #expect(throws: VarlinkError.unknownMember("x")) { try Call(text: #"{"method":"a.b.M","\u0078":1}"#) }
        #expect(try Call(text: #"{"method":"a.b.M","x\u002ey":1}"#).method == "a.b.M")
    }

    @Test func lastOfRepeatedMembersOfAMessageCounts() throws {
        let call = try Call(
            text:
                #"{"method":"a.b.A","parameters":{"x":1},"more":true,"method":"a.b.B","parameters":null,"more":false}"#)
        #expect(call == Call(method: "a.b.B"))
        let reply = try Reply(text: #"{"error":"a.b.E","parameters":{"x":1},"error":"a.b.F","parameters":{"y":2}}"#)
        #expect(reply.error == "a.b.F" && reply.parameters == ["y": 2])
    }

    @Test func namesOfEachLengthAreFoundAmongSimilarOnes() throws {
        // Longer than three words, and different in each position.
        let base = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ")
        for length in 0...base.count {
            var names = [String(base[..<length])]
            for index in 0..<length {
                var name = base[..<length]
                name[index] = "-"
                names.append(String(name))
            }
            for suffix in ["", "é", "\u{0}"] {
                let object = JSONObject(
                    members: names.enumerated().map { .init(name: $1 + suffix, value: .integer(Int64($0))) })
                let parsed = try #require(try JSON.parse(object.description.utf8.map { $0 }).objectValue)
                for (index, name) in names.enumerated() {
                    #expect(parsed[name + suffix] == .integer(Int64(index)))
                    if suffix != "" { #expect(parsed[name] == nil) }
                }
            }
        }
    }

    @Test("V38: a method whose name is only an equal string is not found")
    func methodsAreComparedByBytes() throws {
        let interface = try Interface(parsing: "interface a.K\nmethod Kill() -> ()\nerror Killed ()")
        let service = ServiceDescription(vendor: "", product: "", version: "", url: "", interfaces: [interface])
        #expect(throws: Never.self) { try interface.validate(Call(method: "a.K.Kill")) }
        #expect(service.answer(Call(method: "a.K.Kill")) == nil)
        #expect(throws: CallError.methodNotFound("a.K.\u{212A}ill")) {
            try interface.validate(Call(method: "a.K.\u{212A}ill"))
        }
        #expect(throws: CallError.methodNotFound("a.K.\u{212A}illed")) {
            try interface.validate(CallError(name: "a.K.\u{212A}illed"))
        }
        #expect(service.answer(Call(method: "a.K.\u{212A}ill")) == .failure(.methodNotFound("a.K.\u{212A}ill")))
        #expect(service.answer(Call(method: "a.\u{212A}.Kill")) == .failure(.interfaceNotFound("a.\u{212A}")))
        let call = Call(method: "org.varlink.service.GetInterfaceDescription", parameters: ["interface": "a.\u{212A}"])
        #expect(service.answer(call) == .failure(.interfaceNotFound("a.\u{212A}")))
    }

    @Test func fieldsAndWordsAreComparedByBytes() throws {
        let interface = try Interface(parsing: "interface a.b\nmethod M(K: ?int, word: ?(K, L)) -> ()")
        func validate(_ parameters: JSONObject) throws {
            try interface.validate(Call(method: "a.b.M", parameters: parameters))
        }
        #expect(throws: Never.self) { try validate(["K": 1, "word": "K"]) }
        #expect(throws: CallError.invalidParameter("\u{212A}")) { try validate(["\u{212A}": 1]) }
        #expect(throws: CallError.invalidParameter("word")) { try validate(["word": "\u{212A}"]) }
    }

    @Test func equalDefinitionsAreEqualInterfaces() throws {
        let text =
            "interface a.b\n" + (0..<20).map { "type T\($0) (a: ?int)\n" }.joined()
            + "method M(a: T1, b: T2) -> (c: T3)"
        let service = {
            ServiceDescription(
                vendor: "", product: "", version: "", url: "", interfaces: [try Interface(parsing: text)])
        }
        for _ in 0..<20 {
            #expect(try Interface(parsing: text) == Interface(parsing: text))
            #expect(try Set([Interface(parsing: text), Interface(parsing: text)]).count == 1)
            #expect(try service() == service())
        }
    }
}
