// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

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

    @Test("B190: the states of a publisher that ends become null, unless they were published to stay")
    func endWithdraws() throws {
        let peer = scene.connect(uid: 0)
        try peer.publish("org.example.tied", ["a": 1], tied: true)
        #expect(try values() == [#"tied {"a":1}"#])
        try peer.publish("org.example.stays", ["a": 1])
        #expect(try values() == [#"stays {"a":1}"#])
        peer.stream.close()
        #expect(try values() == ["tied null"])
        #expect(try values() == [])
        #expect(try scene.connect().values(of: "org.example.*") == ["org.example.stays": #"{"a":1}"#])
    }

    @Test("a connection that violates the protocol withdraws its states too") func violationWithdraws() throws {
        let peer = scene.connect(uid: 0)
        try peer.publish("org.example.tied", ["a": 1], tied: true)
        #expect(try values() == [#"tied {"a":1}"#])
        peer.stream.send(Array("}{\0".utf8))
        #expect(try values() == ["tied null"])
    }

    @Test("the last Publish decides whether a state ends with its connection, even with an equal value")
    func lastPublishDecides() throws {
        let (one, other) = (scene.connect(uid: 0), scene.connect(uid: 0))
        try one.publish("org.example.a", ["a": 1], tied: true)
        try one.publish("org.example.a", ["a": 1])
        try one.publish("org.example.b", ["a": 1])
        try one.publish("org.example.b", ["a": 1], tied: true)
        try one.publish("org.example.c", ["a": 1], tied: true)
        try other.publish("org.example.c", ["a": 1], tied: true)
        try one.publish("org.example.d", ["a": 1], tied: true)
        try other.publish("org.example.d")
        while try !values().isEmpty {}
        one.stream.close()
        #expect(try values() == ["b null"])
        #expect(try values() == [])
        other.stream.close()
        #expect(try values() == ["c null"])
        #expect(try scene.connect().values(of: "org.example.*") == ["org.example.a": #"{"a":1}"#])
    }

    @Test("a name that ended with its connection has higher generations when it comes back")
    func nameComesBack() throws {
        for round in 1...3 {
            let peer = scene.connect(uid: 0)
            try peer.publish("org.example.tied", ["a": 1], tied: true)
            let event = try #require(try watcher.events().first)
            #expect(event.generation > 2 * (round - 1))
            peer.stream.close()
            #expect(try watcher.events().map(\.generation) == [event.generation + 1])
        }
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
        for peer in chain.dropFirst() { peer.stream.breakOff() }
        chain[0].stream.close()
        var turns = 0
        while scene.bus.turn() { turns += 1 }
        // Deliveries inside deliveries would all take place in one turn, and exhaust the stack.
        #expect(turns > count / 256)
        #expect(chain.allSatisfy { $0.stream.isClosedByBus })
        #expect(try scene.connect().values(of: "org.chain.*").isEmpty)
    }

    @Test("names that are published and withdrawn on one connection leave nothing behind")
    func withdrawnNamesAreForgotten() throws {
        let peer = scene.connect(uid: 0)
        for number in 0..<3_000 {
            #expect(try peer.publish("org.other.n\(number)", ["a": 1], tied: true).error == nil)
            #expect(try peer.publish("org.other.n\(number)").error == nil)
        }
        try peer.publish("org.example.last", ["a": 1], tied: true)
        #expect(try values() == [#"last {"a":1}"#])
        peer.stream.close()
        #expect(try values() == ["last null"])
    }
}
