// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// States that last as long as the connection that published them.
@Suite(.timeLimit(.minutes(10))) struct TiedNameTests {
    private let scene: BusScene
    private let watcher: ScenePeer

    init() throws {
        scene = try BusScene()
        watcher = scene.connect()
        try watcher.subscribe(to: ["org.example.*"])
    }

    /// Returns the values of the next events, `null` for a withdrawn one.
    private func values() throws -> [String] {
        try watcher.events().map { "\($0.aspect.name.dropFirst("org.example.".count)) \($0.published?.json ?? "null")" }
    }

    @Test("a connection that violates the protocol withdraws its states too") func violationWithdraws() throws {
        let peer = scene.connect(uid: 0)
        try peer.publish("org.example.tied", ["a": 1], tied: true)
        #expect(try values() == [#"tied {"a":1}"#])
        peer.stream.send(Array("}{\0".utf8))
        #expect(try values() == ["tied null"])
    }

    @Test("a state that returns on a later connection leaves a newer one that lasts, and replaces a tied one")
    func newerStateStays() throws {
        let (earlier, other, later) = (scene.connect(uid: 0), scene.connect(uid: 0), scene.connect(uid: 0))
        let again: JSONObject = [
            "aspect": "org.example.tied", "value": ["a": 1], "whileConnected": true, "again": true,
        ]
        try earlier.publish("org.example.tied", ["a": 1], tied: true)
        // The bus may see the new connection before the end of the old one.
        #expect(try later.call("Publish", again).error == nil)
        earlier.stream.close()
        scene.turn()
        #expect(try other.values(of: "org.example.tied") == ["org.example.tied": #"{"a":1}"#])
        let newer = try other.publish("org.example.tied", ["a": 2])
        #expect(try later.call("Publish", again).parameters == newer.parameters)
        later.stream.close()
        scene.turn()
        #expect(try other.values(of: "org.example.tied") == ["org.example.tied": #"{"a":2}"#])
        try other.publish("org.example.tied")
        #expect(try scene.connect(uid: 0).call("Publish", again).error == nil)
        #expect(try other.values(of: "org.example.tied") == ["org.example.tied": #"{"a":1}"#])
    }

    @Test("a state that returns leaves that of another process, but not that of an earlier connection of its own")
    func liveStateStays() throws {
        let (other, later) = (scene.connect(uid: 0, pid: 8), scene.connect(uid: 0))
        let newer = try other.publish("org.example.tied", ["a": 2], tied: true)
        let again: JSONObject = [
            "aspect": "org.example.tied", "value": ["a": 1], "whileConnected": true, "again": true,
        ]
        #expect(try later.call("Publish", again).parameters == newer.parameters)
        #expect(try later.values(of: "org.example.tied") == ["org.example.tied": #"{"a":2}"#])
        later.stream.close()
        #expect(try values() == [#"tied {"a":2}"#])
        other.stream.close()
        #expect(try values() == ["tied null"])
        #expect(try scene.connect(uid: 0).call("Publish", again).error == nil)
        #expect(try values() == [#"tied {"a":1}"#])
        // After a restart, the order in which two processes return says nothing.
        let second: JSONObject = [
            "aspect": "org.example.tied", "value": ["a": 3], "whileConnected": true, "again": true,
        ]
        let last = scene.connect(uid: 0, pid: 9)
        #expect(try last.call("Publish", second).error == nil)
        #expect(try values() == [#"tied {"a":3}"#])
        try last.publish("org.example.tied", ["a": 3], tied: true)
        #expect(try scene.connect(uid: 0, pid: 10).call("Publish", again).error == nil)
        #expect(try values() == [])
    }

    @Test("a state that returns needs the permission to publish it") func returningStateNeedsThePermission() throws {
        try scene.connect(uid: 0).publish("org.example.tied", ["a": 1])
        let again: JSONObject = [
            "aspect": "org.example.tied", "value": ["a": 2], "whileConnected": true, "again": true,
        ]
        #expect(try scene.connect(uid: 4_321).call("Publish", again).error?.hasSuffix(".PermissionDenied") == true)
    }

    @Test("if the end of each publisher is delivered to the next and ends it too, the ends do not nest")
    func endsDoNotNest() throws {
        // Each subscribes to the name of the one before it, so the end of one is delivered to the next.
        let count = 1_000
        let chain = (0..<count).map { _ in scene.connect(uid: 0) }
        for (number, peer) in chain.enumerated() {
            try peer.publish("org.chain.n\(number)", ["a": 1], tied: true)
            try peer.subscribe(to: ["org.chain.n\(max(0, number - 1))"])
        }
        for peer in chain.dropFirst() { peer.stream.isBroken = true }
        chain[0].stream.close()
        var turns = 0
        while scene.bus.turn() { turns += 1 }
        // Deliveries inside deliveries would all take place in one turn, and exhaust the stack.
        #expect(turns >= count / 256)
        #expect(chain.allSatisfy { $0.stream.isClosedByBus })
        #expect(try scene.connect().values(of: "org.chain.*").isEmpty)
    }
}
