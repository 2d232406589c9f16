// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSimulation
import Testing
import Varlink

/// That the simulation notices a wrong answer.
@Suite struct ConversationTests {
    private func conversation(_ calls: Call...) -> Conversation {
        var conversation = Conversation(with: [.service] + SimulatedBus.interfaces, maximumFrame: 1_000)
        for call in calls { conversation.send(call.encoded()) }
        return conversation
    }

    @Test("an answer that its interface allows is taken, in the order of the calls")
    func rightAnswersAreTaken() throws {
        var conversation = conversation(
            Call(method: "org.reveille.Bus.Refresh", mode: .oneway), Call(method: "org.reveille.Bus.Refresh"),
            Call(method: "org.reveille.Bus.Nothing"))
        let answers = try conversation.receive(
            Reply().encoded() + Reply(.methodNotFound("org.reveille.Bus.Nothing")).encoded())
        #expect(answers.map(\.call.member) == ["Refresh", "Nothing"])
        #expect(conversation.awaited == nil)
    }

    @Test(
        "an answer that its interface does not allow is noticed",
        arguments: [
            #"{"parameters":{"generation":1}}"#, #"{"parameters":{"generation":"1","sequence":2}}"#,
            #"{"parameters":{"generation":1,"sequence":2,"more":3}}"#, #"{"error":"org.reveille.Bus.Unheard"}"#,
            #"{"error":"org.varlink.service.InvalidParameter","parameters":{}}"#,
            #"{"parameters":{"generation":1,"sequence":2},"continues":true}"#, "{", "[]",
        ])
    func wrongAnswersAreNoticed(reply: String) {
        var conversation = conversation(Call(method: "org.reveille.Bus.Post"))
        #expect(throws: Broken.self) { try conversation.receive(Array(reply.utf8) + [0]) }
    }

    @Test("an answer to nothing is noticed, and one to a message that is no call")
    func answersToNothingAreNoticed() {
        var silent = conversation()
        #expect(throws: Broken.self) { try silent.receive(Reply().encoded()) }
        var wrong = conversation()
        wrong.send([UInt8(ascii: "{"), 0])
        #expect(wrong.isOver)
        #expect(throws: Broken.self) { try wrong.receive(Reply().encoded()) }
    }

    @Test("two replies of a stream that wait unread are noticed")
    func theGateIsChecked() throws {
        var conversation = conversation(Call(method: "org.reveille.Bus.Subscribe", mode: .more))
        let reply = Reply(parameters: ["events": []], continues: true).encoded()
        _ = try conversation.receive(reply)
        #expect(conversation.isStreaming && conversation.awaited == nil)
        try conversation.checkGate(reply)
        #expect(throws: Broken.self) { try conversation.checkGate(reply + reply) }
    }
}
