// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// The turns of the loop that other users wait while one user publishes all the time.
@Suite(.timeLimit(.minutes(10))) struct FairnessTests {
    private static let publisher: UInt32 = 2_000
    private static let other: UInt32 = 2_001
    /// The processor time of each call in microseconds, some forty of which use up a user's share.
    private static let cost: UInt64 = 100

    private let scene: BrokerScene
    private let flood: [ScenePeer]
    /// The number of calls of the flood.
    private var step = 0

    init() throws {
        scene = try BrokerScene(
            publish: #"{ allow: [{ names: "org.example.*", users: [2000] }] }"#, owner: 0)
        scene.loop.work = Self.cost
        flood = (0..<64).map { [scene] _ in scene.connect(uid: Self.publisher) }
    }

    /// Makes each connection of the flood that has its reply publish another value of one of a thousand names.
    private mutating func publish(isFirst: Bool = false) {
        for peer in flood where isFirst || peer.stream.hasWholeReply {
            _ = peer.stream.receive(.max)
            step += 1
            peer.send(
                "Publish",
                ["aspect": .string("org.example.n\(step % 1_000)"), "value": ["step": .integer(Int64(step))]])
        }
    }

    /// Takes one turn of the loop while the flood continues.
    private mutating func turn() {
        publish()
        _ = scene.bus.turn()
        scene.loop.advance(.microseconds(Int64(Self.cost)))
    }

    /// Takes turns until a call is answered, and returns their number.
    private mutating func turns(toAnswer peer: ScenePeer) -> Int {
        peer.send("GetState", ["aspects": ["locale"]])
        var turns = 0
        while !peer.stream.hasWholeReply {
            turn()
            turns += 1
        }
        _ = peer.stream.receive(.max)
        return turns
    }

    @Test("B193: while one user publishes all the time, the calls of others are answered in the next turns of the loop")
    mutating func othersDoNotWait() throws {
        let probe = scene.connect(uid: Self.other)
        let sleeper = scene.connect(uid: Self.other)
        try sleeper.subscribe(to: ["org.example.*"], ["state": "background"])
        publish(isFirst: true)
        // Each connection notices once that the share of its user is used up.
        for _ in 0..<200 { turn() }
        let probes = 1_000
        var waits: [Int] = []
        for _ in 0..<probes {
            waits.append(turns(toAnswer: probe))
            // The other user calls too rarely to use up its own share.
            for _ in 0..<15 { turn() }
        }
        #expect(waits.reduce(0, +) < 2 * probes)
        #expect(waits.allSatisfy { $0 <= 4 }, "\(waits.max() ?? 0) turns")
        #expect(step > 10 * probes, "the publisher has the other turns")
        #expect(try sleeper.events().isEmpty)
    }
}

extension SimulatedStream {
    /// Whether the peer has not read a reply that is complete.
    fileprivate var hasWholeReply: Bool { toPeer.last == 0 }
}
