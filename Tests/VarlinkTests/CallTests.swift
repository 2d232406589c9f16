// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct CallTests {
    @Test(arguments: [
        (#"{"method":"a.b.C"}"#, Call(method: "a.b.C")),
        (#"{"method":"a.b.C","parameters":{"x":1}}"#, Call(method: "a.b.C", parameters: ["x": 1])),
        (#"{"method":"a.b.C","more":true}"#, Call(method: "a.b.C", mode: .more)),
        (#"{"method":"a.b.C","oneway":true}"#, Call(method: "a.b.C", mode: .oneway)),
        (#"{"method":"a.b.C","upgrade":true}"#, Call(method: "a.b.C", mode: .upgrade)),
    ])
    func callsAreParsedAndEncodedWithoutDefaultMembers(text: String, call: Call) throws {
        #expect(try Call(text: text) == call)
        #expect(call.encoded() == utf8(text + "\0"))
    }

    @Test(
        "V12, V13: false flags and empty parameters equal missing ones",
        arguments: [
            #"{"method":"a.b.C","more":false}"#,
            #"{"oneway":false,"upgrade":false,"more":false,"method":"a.b.C"}"#,
            #"{"method":"a.b.C","parameters":null}"#, #"{"method":"a.b.C","parameters":{}}"#,
            " {\n \"method\" : \"a.b.C\" } ",
        ])
    func membersWithDefaultValuesAreOptional(text: String) throws {
        #expect(try Call(text: text) == Call(method: "a.b.C"))
    }

    @Test(arguments: ["\u{1F3FB}", "\u{200D}", "\u{301}"])
    func dotBeforeACombiningMarkIsStillADot(mark: String) {
        let call = Call(method: "a.b.\(mark)C")
        #expect(call.interface == "a.b")
        #expect(call.member == "\(mark)C")
    }

    @Test("V10: vendor extensions are ignored")
    func memberWithADotIsIgnored() throws {
        let call = try Call(text: #"{"method":"a.b.C","org.example":{"trace":1},"parameters":{"org.x":2}}"#)
        #expect(call == Call(method: "a.b.C", parameters: ["org.x": 2]))
    }

    @Test(
        "V6, V8, V9, V11, V12: invalid calls are rejected",
        arguments: [
            ("{}", VarlinkError.missingMethod),
            (#"{"parameters":{}}"#, .missingMethod),
            ("[]", .notAnObject), ("null", .notAnObject), (#""a.b.C""#, .notAnObject), ("1", .notAnObject),
            (#"{"method":"a.b.C","X-trace":1}"#, .unknownMember("X-trace")),
            (#"{"method":"a.b.C","Method":"a.b.C"}"#, .unknownMember("Method")),
            (#"{"method":"a.b.C","continues":true}"#, .unknownMember("continues")),
            (#"{"method":1}"#, .wrongType(member: "method")),
            (#"{"method":null}"#, .wrongType(member: "method")),
            (#"{"method":"a.b.C","parameters":[]}"#, .wrongType(member: "parameters")),
            (#"{"method":"a.b.C","parameters":"x"}"#, .wrongType(member: "parameters")),
            (#"{"method":"a.b.C","more":1}"#, .wrongType(member: "more")),
            (#"{"method":"a.b.C","oneway":"true"}"#, .wrongType(member: "oneway")),
            (#"{"method":"a.b.C","upgrade":null}"#, .wrongType(member: "upgrade")),
            (#"{"method":"a.b.C","more":true,"oneway":true}"#, .conflictingModes),
            (#"{"method":"a.b.C","more":true,"upgrade":true}"#, .conflictingModes),
            (#"{"method":"a.b.C","oneway":true,"upgrade":true}"#, .conflictingModes),
            (#"{"method":"a.b.C","oneway":true,"upgrade":true,"more":true}"#, .conflictingModes),
        ])
    func invalidCallsAreRejected(text: String, error: VarlinkError) {
        #expect(throws: error) { try Call(text: text) }
    }

    @Test("V1, V7: invalid JSON and invalid UTF-8 are rejected")
    func invalidTextIsRejected() {
        #expect(throws: VarlinkError.json(JSONError(offset: 0, reason: .unexpectedEnd))) { try Call(text: "") }
        #expect(throws: VarlinkError.json(JSONError(offset: 1, reason: .unexpectedByte(UInt8(ascii: "m"))))) {
            try Call(text: "{method")
        }
        #expect(throws: VarlinkError.json(JSONError(offset: 11, reason: .invalidUTF8))) {
            try Call(parsing: utf8(#"{"method":""#) + [0xFF] + utf8(#""}"#))
        }
    }

    @Test(arguments: [
        ("org.example.Bus.Post", "org.example.Bus", "Post"), ("Post", "", "Post"), ("a.", "a", ""), (".A", "", "A"),
        ("", "", ""),
    ])
    func methodIsSplitAtTheLastDot(method: String, interface: String, member: String) {
        let call = Call(method: method)
        #expect(call.interface == interface)
        #expect(call.member == member)
    }

    @Test func errorsDescribeTheViolation() {
        #expect(VarlinkError.unknownMember("x").description == "unknown member 'x'")
        #expect(VarlinkError.tooLong(maximum: 4).description == "message longer than 4 bytes")
        #expect(
            VarlinkError.json(JSONError(offset: 2, reason: .invalidUTF8)).description
                == "invalid JSON: invalid UTF-8 at byte 2")
    }
}
