// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// Motion in simulated time: the sensor follows its subscribers, and samples are neither saved nor resumed.
@Suite(.timeLimit(.minutes(10))) struct MotionStreamTests {
    private let scene: BusScene
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        scene = try BusScene(state: StateFile(path: directory.path + "/state.json"))
    }

    private func subscribe(_ interval: Int64?, _ more: JSONObject = [:]) throws -> (peer: ScenePeer, id: String) {
        let peer = scene.connect(uid: 0)
        var policy: JSONObject = ["aspect": "motion"]
        policy["interval"] = interval.map { .integer($0) }
        let start = try peer.subscribe(
            to: ["motion"], JSONObject(members: [.init(name: "policies", value: [.object(policy)])] + more.members))
        return (peer, start.subscription)
    }

    /// Returns the number of samples that the sensor takes in a second.
    private func rate() -> Int {
        let before = scene.bus.motion.samples
        scene.pass(.seconds(1), step: .milliseconds(5))
        return scene.bus.motion.samples - before
    }

    @Test("B134: a subscriber that wakes gets one fresh sample, and its count") func wakeTakesASample() throws {
        let (peer, id) = try subscribe(100)
        let control = scene.connect(uid: 0)
        try control.call("SetState", ["subscription": .string(id), "state": "background"])
        _ = try peer.events()
        scene.pass(.seconds(60), step: .seconds(1))
        let before = scene.bus.motion.samples
        try control.call("SetState", ["subscription": .string(id), "state": "foreground"])
        #expect(try peer.events().map(\.changeCount) == [1])
        #expect(scene.bus.motion.samples == before + 1)
    }

    @Test("B136: a request takes one sample, and the sensor stays off") func requestTakesASample() throws {
        let peer = scene.connect()
        for count in 1...3 {
            try peer.call("GetState", ["aspects": ["motion"]])
            #expect(scene.bus.motion.samples == count)
        }
        try peer.call("Refresh")
        #expect(scene.bus.motion.samples == 3)
        #expect(rate() == 0)
    }

    @Test("samples do not write the state file, and a restart continues above their generations")
    func samplesAreNotSaved() throws {
        let (peer, _) = try subscribe(10)
        scene.pass(.seconds(1))
        let file = directory.path + "/state.json"
        let saved = directory.read("state.json")
        scene.pass(.seconds(2))
        #expect(!saved.isEmpty && directory.read("state.json") == saved, "\(file) is unchanged")
        let last = try #require(try peer.events().last)
        try scene.restart(isClean: false)
        let (_, start) = try resume(from: last.generation)
        #expect(start.resumed == true)
        #expect(start.events.map(\.changeCount) == [0])
        #expect(start.events[0].generation > last.generation)
        #expect(start.events[0].motion?.acceleration == SimulatedMotion.acceleration)
    }

    private func resume(from generation: Int) throws -> (ScenePeer, SubscribeReply) {
        let instance = try scene.connect().call("GetState").parameters["instance"] ?? .null
        let peer = scene.connect()
        let position: JSONObject = ["aspect": "motion", "generation": .integer(Int64(generation))]
        let start = try peer.subscribe(to: ["motion"], ["instance": instance, "resume": [.object(position)]])
        return (peer, start)
    }
}
