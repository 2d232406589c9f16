// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Testing
import Varlink

/// Replies with the states of a thousand names, and lists of subscriptions to them, which are written while they are read.
@Suite(.timeLimit(.minutes(10))) struct LongReplyTests {
    private static let names = (0..<1_000).map { "org.example.\(String(repeating: "n", count: 200)).n\($0 + 1_000)" }
    private static let pattern: JSONObject = ["aspects": ["org.example.*"]]
    /// The bytes that a socket has room for, as on Linux.
    private static let room = 212_992
    /// The bytes that one turn may write: 32 pieces.
    private static let most = 32 * 49_152

    private let scene: BusScene
    private let publisher: ScenePeer

    init() throws {
        scene = try BusScene(owner: 1_000)
        scene.loop.arrivesWhole = true
        publisher = scene.connect()
        for name in Self.names { try publish(name, 0) }
    }

    private func publish(_ name: String, _ step: Int) throws {
        let reply = try publisher.publish(
            name, ["step": .integer(Int64(step)), "text": .string(String(repeating: "x", count: 3_000))])
        #expect(reply.error == nil)
    }

    /// Returns the steps of the values in a reply, by name.
    private func steps(_ events: [Event]) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: events.map { event in
                let value = try? event.published?.bytes.map { try JSON.parse($0) }
                return (event.aspect.name, value?.objectValue?["step"]?.integerValue.map { Int($0) } ?? -1)
            })
    }

    @Test("a reply that nobody reads is not kept: once read, it has the states of that time")
    func unreadStatesAreNotKept() throws {
        let reader = scene.connect(room: Self.room)
        reader.send("GetState", Self.pattern)
        scene.turn()
        for step in 1...3 { try publish(Self.names[999], step) }
        let reply = try #require(try reader.reply())
        let found = steps(try [Event](reply.parameters, noting: UnknownWords()))
        #expect(found.count == 1_000)
        #expect(found[Self.names[0]] == 0 && found[Self.names[999]] == 3)
        #expect(reply.parameters["instance"]?.stringValue?.isEmpty == false)
        // The connection takes calls again.
        #expect(try reader.call("GetState", ["aspects": ["locale"]]).error == nil)
    }

    @Test("names that are withdrawn while a reply waits to be read have no value in it")
    func withdrawnNamesHaveNoValue() throws {
        let reader = scene.connect(room: Self.room)
        reader.send("GetState", Self.pattern)
        scene.turn()
        try publisher.publish(Self.names[999])
        let reply = try #require(try reader.reply())
        let events = try [Event](reply.parameters, noting: UnknownWords())
        #expect(events.last?.aspect.name == Self.names[999] && events.last?.published?.bytes == nil)
    }

    @Test("the first reply has the states at the start, however late it is read, and each later change follows once")
    func firstReplyIsThatOfItsStart() throws {
        let reader = scene.connect(room: Self.room)
        reader.send("Subscribe", ["aspects": ["org.example.*"], "initial": true], more: true)
        scene.turn()
        for step in 1...3 { try publish(Self.names[999], step) }
        let first = try SubscribeReply(try #require(try reader.reply()).parameters, noting: UnknownWords())
        #expect(steps(first.events) == Dictionary(uniqueKeysWithValues: Self.names.map { ($0, 0) }))
        let later = try [Event](try #require(try reader.reply()).parameters, noting: UnknownWords())
        #expect(later.map(\.changeCount) == [3] && steps(later) == [Self.names[999]: 3])
        try publish(Self.names[0], 4)
        #expect(try reader.events().map(\.changeCount) == [1])
    }

    @Test("a subscriber that does not read its first reply while names change often is disconnected")
    func lateReaderIsDisconnected() throws {
        let reader = scene.connect(room: Self.room)
        reader.send("Subscribe", ["aspects": ["org.example.*"], "initial": true], more: true)
        scene.turn()
        for step in 1...100 { try publish(Self.names[999], step) }
        while !reader.stream.isClosedByBus, try reader.next() == nil {}
        #expect(reader.stream.isClosedByBus)
        #expect(scene.log.all.contains { $0.contains("did not read the reply to Subscribe") })
        #expect(scene.bus.subscribers.isEmpty)
    }

    @Test(
        "while one user asks for long replies all the time, no turn writes more than a little, and others are answered",
        arguments: ["ListSubscriptions", "GetState"])
    func longRepliesTakeManyTurns(method: String) throws {
        let sleepers = (0..<50).map { _ in scene.connect(uid: 3_000) }
        for sleeper in sleepers { try sleeper.subscribe(to: ["org.example.*"], ["state": "background"]) }
        for name in Self.names { try publish(name, 1) }
        let flood = (0..<12).map { _ in scene.connect(uid: 2_000, room: 1 << 24) }
        let probe = scene.connect(uid: 2_001)
        scene.loop.work = 100
        var (most, longest, replies) = (0, 0, 0)
        for peer in flood { peer.send(method, Self.pattern) }
        for round in 0..<15 {
            probe.send("GetState", ["aspects": ["locale"]])
            var turns = 0
            while probe.stream.toPeer.last != 0, turns < 1_000 {
                let before = flood.map(\.stream.toPeer.count).reduce(0, +)
                _ = scene.bus.turn()
                most = max(most, flood.map(\.stream.toPeer.count).reduce(0, +) - before)
                scene.loop.advance(.microseconds(100))
                turns += 1
            }
            // The first turns use up the share of the flood's user.
            if round >= 5 { longest = max(longest, turns) }
            _ = probe.stream.receive(.max)
            for _ in 0..<10 {
                for peer in flood where peer.stream.receive(.max).last == 0 {
                    replies += 1
                    peer.send(method, Self.pattern)
                }
                let before = flood.map(\.stream.toPeer.count).reduce(0, +)
                _ = scene.bus.turn()
                most = max(most, flood.map(\.stream.toPeer.count).reduce(0, +) - before)
                scene.loop.advance(.microseconds(100))
            }
        }
        #expect(most > 0 && most <= Self.most, "\(most) bytes")
        #expect(longest <= 4, "\(longest) turns")
        #expect(replies > 12)
        #expect(sleepers.allSatisfy { !$0.stream.isClosedByBus })
    }

    @Test("a list of subscriptions is complete although some end while it is read")
    func listIsComplete() throws {
        let sleepers = (0..<50).map { _ in scene.connect() }
        for (number, sleeper) in sleepers.enumerated() {
            try sleeper.subscribe(to: ["org.example.*"], ["state": "background", "name": .string("s\(number)")])
        }
        for name in Self.names { try publish(name, 1) }
        let reader = scene.connect(room: Self.room)
        reader.send("ListSubscriptions")
        scene.turn()
        for sleeper in [sleepers[0], sleepers[49]] { sleeper.stream.close() }
        scene.turn()
        let list = try #require(try reader.reply()).parameters["subscriptions"]?.arrayValue ?? []
        #expect(list.map { $0.objectValue?["name"]?.stringValue } == (0..<49).map { "s\($0)" })
        #expect(list.allSatisfy { $0.objectValue?["pending"]?.arrayValue?.count == 256 })
    }

    @Test("a bus that stops while a long first reply is read sends no other reply into it")
    func stopSendsNothingIntoAReply() throws {
        let reader = scene.connect(room: Self.room)
        reader.send("Subscribe", ["aspects": ["org.example.*"], "initial": true], more: true)
        scene.turn()
        try publish(Self.names[0], 1)
        _ = reader.stream.receive(.max)
        scene.bus.stop()
        #expect(!reader.stream.receive(.max).contains(0))
    }
}
