// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Testing
import Varlink

/// Callers that follow the subscriptions: ListSubscriptions with `more`.
@Suite(.timeLimit(.minutes(10))) struct FollowerTests {
    private let life: SuspensionScene
    private var scene: BusScene { life.scene }

    init() throws { life = try SuspensionScene() }

    private func follow(pid: Int32 = 9, room: Int = 1 << 20) throws -> FollowerView {
        FollowerView(scene.connect(uid: 1_001, pid: pid, room: room))
    }

    private func publish(_ number: Int64) throws {
        try scene.connect(uid: 0).call("Publish", ["aspect": "org.example.a", "value": ["n": .integer(number)]])
    }

    @Test(
        "B210, B215: followers know what a new list would say, and publishers what the subscriptions need",
        arguments: Seeds.ranges)
    func followersAndPublishersKnow(seeds: ClosedRange<UInt64>) throws {
        try Seeds.run(seeds, of: "FollowerTests") { seed, _ in
            try SubscriptionLife(seed: seed, note: Seeds.note).run(200)
        }
    }

    @Test("B212: an event that is unread is reported after 5 s, if another is due, and when it is read")
    func lateReadersAreReported() throws {
        let subscription = try life.subscribe(20, aspects: ["org.example.a"])
        try publish(1)
        scene.pass(.seconds(60))
        let follower = try follow()
        #expect(try follower.read()?.subscriptions.first?.holds == [])
        #expect(try life.status(subscription)?.holds == .unread)
        // Nothing waits for it yet.
        #expect(scene.loop.nextDeadline == nil)
        try publish(2)
        scene.pass(.milliseconds(4_900))
        #expect(try follower.read() == nil)
        scene.pass(.milliseconds(200))
        #expect(try follower.read()?.subscriptions.first?.holds == .unread)
        // Another follower learns of it too.
        let other = try follow(pid: 8)
        #expect(try other.read()?.subscriptions.first?.holds == .unread)
        #expect(try subscription.events().count == 1)
        #expect(try follower.read()?.subscriptions.first?.holds == [])
        #expect(try other.read()?.subscriptions.first?.holds == [])
        scene.pass(.seconds(60))
        #expect(try follower.read() == nil)
    }

    @Test("B212: an event that was unread before anybody followed is reported too")
    func earlierLatenessIsReported() throws {
        _ = try life.subscribe(20, aspects: ["org.example.a"])
        for number: Int64 in 1...2 { try publish(number) }
        scene.pass(.seconds(60))
        #expect(scene.loop.nextDeadline == nil)
        let follower = try follow()
        #expect(try follower.read()?.subscriptions.first?.holds == [])
        scene.pass(.seconds(6))
        #expect(try follower.read()?.subscriptions.first?.holds == .unread)
    }

    @Test("B213: events, changes and the time of tasks cause no reply, nor does a state that is set again")
    func deliveriesAreNotReported() throws {
        let subscription = try life.subscribe(20, aspects: ["org.example.a"])
        _ = try life.set("background", of: subscription)
        _ = try life.begin(of: subscription, pid: 20)
        let other = try life.subscribe(21, aspects: ["org.example.*"])
        let follower = try follow()
        #expect(try follower.read()?.subscriptions.count == 2)
        for number: Int64 in 1...20 {
            try publish(number)
            #expect(try other.events().count == 1)
            _ = try life.set("background", of: subscription)
            scene.pass(.seconds(1))
        }
        #expect(try follower.read() == nil)
        scene.pass(.seconds(20))
        #expect(try follower.read()?.subscriptions.first?.tasks == [])
    }

    @Test("a hundred followers learn of each change; none of them, and no timer of theirs, is left after they close")
    func manyFollow() throws {
        let scene = try BusScene(limits: "{ connectionsPerUser: 200 }")
        let sources = scene.loop.sourceCount
        let followers = (0..<100).map { FollowerView(scene.connect(uid: 1_001, pid: 100 + $0)) }
        for follower in followers { #expect(try follower.read()?.subscriptions == []) }
        let peer = scene.connect(uid: 1_000)
        try peer.subscribe(to: ["org.example.a"])
        for follower in followers { #expect(try follower.read()?.subscriptions.count == 1) }
        for follower in followers { follower.peer.stream.close() }
        peer.stream.close()
        scene.turn()
        #expect(scene.loop.sourceCount == sources)
    }

    @Test("a caller without 'more' gets one reply, without 'ended'; one that follows makes no other call")
    func othersGetOneReply() throws {
        let subscription = try life.subscribe(20)
        let follower = try follow()
        #expect(try follower.read()?.subscriptions.count == 1)
        follower.peer.send("GetState")
        #expect(try follower.peer.next() == nil)
        subscription.peer.stream.close()
        scene.turn()
        let reply = try life.shell.call("ListSubscriptions")
        #expect(!reply.continues)
        #expect(reply.parameters == ["subscriptions": []])
    }

    @Test("a follower that reads a long list slowly misses nothing that changes meanwhile")
    func longListIsComplete() throws {
        let scene = try BusScene(limits: "{ connectionsPerUser: 1000 }")
        var peers = (0..<300).map { _ in scene.connect() }
        for peer in peers { try peer.subscribe(to: (0..<20).map { "org.example.n\($0)" }) }
        let view = FollowerView(scene.connect(uid: 1_001, pid: 9, room: 4_000), readsSlowly: true)
        var generator = SplitMix64(seed: 1)
        for _ in 0..<60 {
            try view.read(3_000)
            peers.remove(at: Int.random(in: 0..<peers.count, using: &generator)).stream.close()
            let peer = scene.connect()
            peers.append(peer)
            try peer.subscribe(to: ["org.example.new"])
        }
        // The last replies arrive in many parts.
        for _ in 0..<200 { try view.read() }
        let list = try scene.connect(pid: 10).call("ListSubscriptions").parameters
        let expected = FollowerView.shown(try [SubscriptionInfo](list, noting: UnknownWords()), unread: [])
        #expect(view.shown == expected)
    }
}
