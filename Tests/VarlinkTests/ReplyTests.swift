// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Testing
import Varlink

@Suite struct ReplyTests {
    @Test(
        "V15: empty parameters are left out",
        arguments: [
            ("{}", Reply()),
            (#"{"parameters":{"x":1}}"#, Reply(parameters: ["x": 1])),
            (#"{"parameters":{"x":1},"continues":true}"#, Reply(parameters: ["x": 1], continues: true)),
            (#"{"continues":true}"#, Reply(continues: true)),
            (#"{"error":"a.b.E"}"#, Reply(CallError(name: "a.b.E"))),
            (#"{"error":"a.b.E","parameters":{"x":1}}"#, Reply(CallError(name: "a.b.E", parameters: ["x": 1]))),
        ])
    func repliesAreReadAndWrittenWithoutNeedlessMembers(text: String, reply: Reply) throws {
        #expect(try Reply(text: text) == reply)
        #expect(reply.encoded() == utf8(text + "\0"))
    }

    @Test(
        "V15: absent, null and {} are the same",
        arguments: [
            #"{"parameters":null}"#, #"{"parameters":{}}"#, #"{"continues":false}"#,
            #"{"error":null,"continues":null}"#, #"{"org.example":{"x":1}}"#,
        ])
    func whatSaysNothingIsTheSameAsNothing(text: String) throws {
        #expect(try Reply(text: text) == Reply())
    }

    @Test(
        "V9, V16: what is no reply is refused",
        arguments: [
            ("[]", VarlinkError.notAnObject),
            (#"{"error":"a.b.E","continues":true}"#, .continuingError),
            (#"{"error":1}"#, .wrongType(member: "error")),
            (#"{"continues":1}"#, .wrongType(member: "continues")),
            (#"{"parameters":1}"#, .wrongType(member: "parameters")),
            (#"{"method":"a.b.C"}"#, .unknownMember("method")),
        ])
    func whatIsNoReplyIsRefused(text: String, error: VarlinkError) {
        #expect(throws: error) { try Reply(text: text) }
    }

    @Test("V31: parameters that the client does not know are kept and harm nothing")
    func unknownParametersAreNoError() throws {
        #expect(try Reply(text: #"{"parameters":{"x":1,"new":[{}]}}"#).parameters["x"] == 1)
    }

    @Test(arguments: [true, false], [[:], ["x": 1]] as [JSONObject])
    func writtenParametersGiveTheSameBytes(continues: Bool, parameters: JSONObject) {
        #expect(
            Reply.encode(parameters: JSON.object(parameters).bytes, continues: continues)
                == Reply(parameters: parameters, continues: continues).encoded())
    }
}
