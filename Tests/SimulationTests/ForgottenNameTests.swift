// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// Names that the bus has forgotten since the last save of its state.
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
}
