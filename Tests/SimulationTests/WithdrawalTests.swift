// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// Replies about names that the bus forgets.
@Suite struct WithdrawalTests {
    @Test("a withdrawal is answered with the generation and the sequence of its event")
    func withdrawalIsAnsweredWithItsPosition() throws {
        let scene = try BusScene()
        let (publisher, subscriber) = (scene.connect(uid: 0), scene.connect())
        try subscriber.subscribe(to: ["org.g.*"])
        for name in ["org.g.x", "org.other.x"] { try publisher.publish(name, ["a": 1]) }
        _ = try subscriber.events()
        let reply = try publisher.publish("org.g.x")
        let event = try #require(try subscriber.events().last)
        #expect(reply.parameters["generation"]?.integerValue == Int64(event.generation))
        #expect(reply.parameters["sequence"]?.integerValue == Int64(event.sequence))
        let again = try publisher.publish("org.g.x")
        #expect(again.error == nil, "withdrawing a name that is not published succeeds")
    }

    @Test("the state of a name is that of now when its only subscriber has gone")
    func stateOfAForgottenNameIsNew() throws {
        let scene = try BusScene()
        let (peer, subscriber) = (scene.connect(uid: 0), scene.connect())
        try subscriber.subscribe(to: ["org.example.given"])
        for number in 0..<3 as Range<Int64> { try peer.publish("org.example.other", ["a": .integer(number)]) }
        let generation = { (aspects: JSON) in
            let reply = try peer.call("GetState", ["aspects": aspects])
            return reply.parameters["events"]?.arrayValue?.first?.objectValue?["generation"]?.integerValue
        }
        #expect(try generation(["org.example.given"]) == 0)
        subscriber.stream.close()
        scene.turn()
        #expect(try generation(["org.example.given"]) == 3)
        #expect(try generation(["org.example.given", "locale"]) != nil)
    }
}
