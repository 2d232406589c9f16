// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct ReplyTests {
    @Test(
        "V15: empty parameters are omitted",
        arguments: [
            ("{}", Reply()),
            (#"{"parameters":{"x":1}}"#, Reply(parameters: ["x": 1])),
            (#"{"parameters":{"x":1},"continues":true}"#, Reply(parameters: ["x": 1], continues: true)),
            (#"{"continues":true}"#, Reply(continues: true)),
            (#"{"error":"a.b.E"}"#, Reply(CallError(name: "a.b.E"))),
            (#"{"error":"a.b.E","parameters":{"x":1}}"#, Reply(CallError(name: "a.b.E", parameters: ["x": 1]))),
        ])
    func repliesAreParsedAndEncodedWithoutDefaultMembers(text: String, reply: Reply) throws {
        #expect(try Reply(text: text) == reply)
        #expect(reply.encoded() == utf8(text + "\0"))
    }

    @Test(
        "V15: missing, null and {} are equivalent",
        arguments: [
            #"{"parameters":null}"#, #"{"parameters":{}}"#, #"{"continues":false}"#,
            #"{"error":null,"continues":null}"#, #"{"org.example":{"x":1}}"#,
        ])
    func membersWithDefaultValuesAreOptional(text: String) throws {
        #expect(try Reply(text: text) == Reply())
    }

    @Test(
        "V9, V16: invalid replies are rejected",
        arguments: [
            ("[]", VarlinkError.notAnObject),
            (#"{"error":"a.b.E","continues":true}"#, .continuingError),
            (#"{"error":1}"#, .wrongType(member: "error")),
            (#"{"continues":1}"#, .wrongType(member: "continues")),
            (#"{"parameters":1}"#, .wrongType(member: "parameters")),
            (#"{"method":"a.b.C"}"#, .unknownMember("method")),
        ])
    func invalidRepliesAreRejected(text: String, error: VarlinkError) {
        #expect(throws: error) { try Reply(text: text) }
    }

    @Test("V31: unknown parameters are kept and are not an error")
    func unknownParametersAreNotAnError() throws {
        #expect(try Reply(text: #"{"parameters":{"x":1,"new":[{}]}}"#).parameters["x"] == 1)
    }

    @Test(arguments: [true, false], [[:], ["x": 1]] as [JSONObject])
    func encodedParametersGiveTheSameBytes(continues: Bool, parameters: JSONObject) {
        #expect(
            Reply.encode(parameters: JSON.object(parameters).bytes, continues: continues)
                == Reply(parameters: parameters, continues: continues).encoded())
    }
}
