// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// Clients of the first version of the interface, which refuse replies with later fields.
@Suite(.timeLimit(.minutes(10))) struct StrictClientTests {
    private let scene: BusScene
    private let first: Interface

    init() throws {
        scene = try BusScene()
        first = try Interface(parsing: firstInterface)
    }

    /// Receives all replies to a call, and checks them with the first version of the interface.
    private func check(_ calls: [Call], then changes: () throws -> Void = {}) throws -> Int {
        let peer = scene.connect(uid: 0)
        var conversation = Conversation(with: [.service, first], maximumFrame: Limits.frame)
        var count = 0
        func receive() throws {
            scene.pass(.seconds(2))
            count += try conversation.receive(peer.stream.receive(.max)).count
        }
        for call in calls {
            conversation.send(call.encoded())
            peer.stream.send(call.encoded())
            try receive()
        }
        try changes()
        try receive()
        #expect(conversation.awaited == nil)
        return count
    }

    private func call(_ member: String, _ parameters: JSONObject = [:], mode: Call.Mode = .plain) -> Call {
        Call(method: "org.reveille.Bus." + member, parameters: parameters, mode: mode)
    }

    /// Publishes and withdraws names, and changes aspects of the device.
    private func change() throws {
        let publisher = scene.connect(uid: 0)
        try publisher.publish("org.example.volume", ["level": 1])
        try publisher.publish("org.example.tied", ["level": 1], tied: true)
        scene.change(.locale)
        scene.change(.battery)
        try publisher.publish("org.example.volume")
        try publisher.publish("org.example.volume", ["level": 2])
        publisher.stream.close()
        scene.turn()
    }

    @Test(
        "replies to all calls of the first interface have only its fields while others publish and subscribe to names")
    func repliesAreThoseOfTheFirstInterface() throws {
        let other = scene.connect()
        try other.subscribe(
            to: ["org.example.*", "battery", "org.example.later"],
            ["policies": [["aspect": "org.example.*", "interval": 60_000]], "state": "background"])
        try change()
        let calls = [
            call("GetState"), call("GetState", ["aspects": ["battery", "locale"]]), call("ListSubscriptions"),
            call("DescribeAspects"), call("Refresh"), call("Post", ["proximity": ["state": "near"]]),
            call("SetState", ["subscription": "0000000000000000", "state": "background"]),
            call("GetState", ["aspects": ["weather"]]),
        ]
        #expect(try check(calls, then: change) == calls.count)
    }

    @Test("a stream for the default aspects has only fields of the first interface, even if it resumes")
    func streamIsThatOfTheFirstInterface() throws {
        #expect(try check([call("Subscribe", ["initial": true], mode: .more)], then: change) >= 2)
        let instance = try scene.connect().call("GetState").parameters["instance"] ?? ""
        let resume: JSONObject = [
            "instance": instance, "resume": [["aspect": "battery", "generation": 0]],
            "policies": [["aspect": "battery", "netChangeOnly": true]],
        ]
        #expect(try check([call("Subscribe", resume, mode: .more)], then: change) >= 2)
    }
}
