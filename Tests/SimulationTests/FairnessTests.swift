// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// The turns of the loop that other users wait while one user publishes all the time.
@Suite(.timeLimit(.minutes(10))) struct FairnessTests {
    private static let publisher: UInt32 = 2_000
    private static let other: UInt32 = 2_001
    /// A user who has fewer connections than the publisher, and requests readings.
    private static let spender: UInt32 = 2_002
    /// The processor time of each call in microseconds: some forty calls use up a user's share.
    private static let cost: UInt64 = 100
    /// The number of calls of the other users.
    private static let probes = 1_000

    private let scene: BusScene
    private let flood: [ScenePeer]
    private var step = 0
    /// The turns that the other users waited for replies.
    private var waits: [Int] = []

    init() throws {
        scene = try BusScene(
            publish: #"{ allow: [{ names: "org.example.*", users: [2000] }] }"#, owner: 0)
        scene.loop.work = Self.cost
        scene.loop.arrivesWhole = true
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

    /// Takes turns until a peer has a reply, and returns their number.
    private mutating func turns(toReplyTo peer: ScenePeer) -> Int {
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
        begin()
        for _ in 0..<Self.probes {
            probe.send("GetState", ["aspects": ["locale"]])
            noteTurns(toReplyTo: probe)
        }
        expectShortWaits()
        #expect(try sleeper.events().isEmpty)
    }

    @Test(
        "B193: while one user publishes all the time, the events of others are delivered in the next turns of the loop")
    mutating func eventsDoNotWait() throws {
        let publisher = scene.connect(uid: 0)
        let subscriber = scene.connect(uid: Self.other)
        try subscriber.subscribe(to: ["org.probe.changed"])
        begin()
        for probe in 0..<Self.probes {
            publisher.send(
                "Publish", ["aspect": "org.probe.changed", "value": ["step": .integer(Int64(probe))]])
            noteTurns(toReplyTo: subscriber)
            _ = publisher.stream.receive(.max)
        }
        expectShortWaits()
    }

    @Test("the time of a reading is charged to the user who requested it", arguments: ["Refresh", "GetState"])
    mutating func readingsAreCharged(method: String) throws {
        scene.loop.work = 0
        for watcher in scene.bus.watchers { watcher.cost = 50_000 }
        let (spender, probe) = (scene.connect(uid: Self.spender), scene.connect(uid: Self.other))
        try spender.call(method, method == "Refresh" ? [:] : ["aspects": ["battery"]])
        for _ in 0..<20 {
            for peer in [spender, probe] { peer.send("GetState", ["aspects": ["locale"]]) }
            while probe.stream.toPeer.isEmpty {
                #expect(spender.stream.toPeer.isEmpty)
                _ = scene.bus.turn()
            }
            for peer in [probe, spender] { #expect(try peer.reply() != nil) }
        }
    }

    @Test("readings take at most a fifth of the time, even if one takes several turns") func readingsRest() throws {
        let watcher = try #require(scene.bus.watchers.first { $0.aspect == .locale })
        watcher.cost = 50_000
        let peer = scene.connect(uid: Self.spender)
        try peer.call("Refresh")
        let start = scene.loop.bootClock
        try peer.call("Refresh")
        // The pause began some milliseconds before the reply. Without it, a sample takes 30 ms at most.
        #expect(scene.loop.bootClock - start >= 150_000)
    }

    /// Lets the flood use up the share of its user, which each connection notices once.
    private mutating func begin() {
        publish(isFirst: true)
        for _ in 0..<200 { turn() }
    }

    private mutating func noteTurns(toReplyTo peer: ScenePeer) {
        waits.append(turns(toReplyTo: peer))
        // The other users call too rarely to use up their own shares.
        for _ in 0..<15 { turn() }
    }

    private func expectShortWaits() {
        #expect(waits.reduce(0, +) < 2 * Self.probes)
        #expect(waits.allSatisfy { $0 <= 4 }, "\(waits.max() ?? 0) turns")
        #expect(step > 10 * Self.probes, "the publisher has the other turns")
    }
}

extension SimulatedStream {
    /// Whether the peer has not read a reply that is complete.
    fileprivate var hasWholeReply: Bool { toPeer.last == 0 }
}
