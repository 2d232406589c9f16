// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// Names that the bus forgets, some of them since the last save of its state.
@Suite(.timeLimit(.minutes(10))) struct ForgottenNameTests {
    private static let name = "org.example.volume"

    @Test(
        "a name that was subscribed to, forgotten and subscribed to again is resumed after a crash",
        arguments: [true, false])
    func nameThatWasGivenAgainIsResumed(isSubscribed: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/state.json"
        let scene = try BusScene(owner: 0, state: StateFile(path: path))
        let first = scene.connect()
        try first.subscribe(to: [Self.name])
        scene.change(.locale)
        scene.pass(.milliseconds(200))
        try #require(access(path, F_OK) == 0)
        first.stream.close()
        scene.turn()
        let event: JSONObject?
        if isSubscribed {
            let start = try scene.connect().subscribe(to: [Self.name], ["initial": true])
            event = start.events.first.map { ["generation": .integer(Int64($0.generation))] }
        } else {
            let reply = try scene.connect().call("GetState", ["aspects": [.string(Self.name)]])
            event = reply.parameters["events"]?.arrayValue?.first?.objectValue
        }
        let generation = try #require(event?["generation"])
        let instance = try #require(scene.connect().call("GetState").parameters["instance"])
        scene.pass(.milliseconds(200))
        try scene.restart(isClean: false)
        let again = try scene.connect().subscribe(
            to: [Self.name],
            ["instance": instance, "resume": [["aspect": .string(Self.name), "generation": generation]]])
        #expect(.string(again.instance) == instance)
        #expect(again.resumed == true)
        #expect(again.events.isEmpty)
    }

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
    }

    @Test("the state of a name is up to date after its only subscriber has gone")
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
