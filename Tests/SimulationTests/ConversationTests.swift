// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing
import Varlink

/// The detection of wrong replies by the simulation.
@Suite struct ConversationTests {
    private func conversation(_ calls: Call...) -> Conversation {
        var conversation = Conversation(with: SimulatedBus.interfaces, maximumFrame: 1_000)
        for call in calls { conversation.send(call.encoded()) }
        return conversation
    }

    @Test("valid replies are accepted in the order of the calls")
    func validRepliesAreAccepted() throws {
        var conversation = conversation(
            Call(method: "org.reveille.Bus.Refresh", mode: .oneway), Call(method: "org.reveille.Bus.Refresh"),
            Call(method: "org.reveille.Bus.Nothing"))
        let answers = try conversation.receive(
            Reply().encoded() + Reply(.methodNotFound("org.reveille.Bus.Nothing")).encoded())
        #expect(answers.map(\.call.member) == ["Refresh", "Nothing"])
        #expect(conversation.awaited == nil)
    }

    @Test(
        "a reply that does not match its interface is detected",
        arguments: [
            #"{"parameters":{"generation":1}}"#, #"{"parameters":{"generation":"1","sequence":2}}"#,
            #"{"parameters":{"generation":1,"sequence":2,"more":3}}"#, #"{"error":"org.reveille.Bus.Unheard"}"#,
            #"{"error":"org.varlink.service.InvalidParameter","parameters":{}}"#,
            #"{"parameters":{"generation":1,"sequence":2},"continues":true}"#, "{", "[]",
        ])
    func wrongRepliesAreDetected(reply: String) {
        var conversation = conversation(Call(method: "org.reveille.Bus.Post"))
        #expect(throws: Broken.self) { try conversation.receive(Array(reply.utf8) + [0]) }
    }

    @Test("a reply without a call is detected, even after an invalid call")
    func repliesWithoutACallAreDetected() {
        var silent = conversation()
        #expect(throws: Broken.self) { try silent.receive(Reply().encoded()) }
        var wrong = conversation()
        wrong.send([UInt8(ascii: "{"), 0])
        #expect(wrong.isOver)
        #expect(throws: Broken.self) { try wrong.receive(Reply().encoded()) }
    }

    @Test("two unread replies of a stream are detected")
    func theGateIsChecked() throws {
        var conversation = conversation(Call(method: "org.reveille.Bus.Subscribe", mode: .more))
        let reply = Reply(parameters: ["events": []], continues: true).encoded()
        _ = try conversation.receive(reply)
        #expect(conversation.isStreaming && conversation.awaited == nil)
        try conversation.checkGate(reply)
        #expect(throws: Broken.self) { try conversation.checkGate(reply + reply) }
    }
}
