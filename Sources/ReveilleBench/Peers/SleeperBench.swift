// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleWire
import Varlink

/// Measures a post beside sleeping subscribers and beside none, and a wake of all beside the bare loop's delivery to as
/// many.
struct SleeperBench {
    private static let rounds = 7
    private static let posts = 1_000
    /// The calls that are sent at once.
    private static let batch = 100

    func run() throws {
        let count = PeerBench.most
        let bus = ReveillePeer()
        let crowded = try PeerBroker(bus)
        let sleepers = try (0..<count).map { _ in try crowded.connection() }
        let names = try sleepers.map { try bus.subscription(on: $0, isInBackground: true) }
        let empty = try PeerBroker(bus)
        let bare = try PeerBroker(BarePeer())

        // A post is delivered to one subscriber, beside the sleepers or alone.
        let crowdedClients = try PeerClients(crowded, count: 1)
        let emptyClients = try PeerClients(empty, count: 1)
        var beside: [Cost] = []
        var alone: [Cost] = []
        for _ in 0..<Self.rounds {
            alone.append(try Cost(of: empty, deliveries: Self.posts) { try emptyClients.publish(Self.posts) })
            beside.append(try Cost(of: crowded, deliveries: Self.posts) { try crowdedClients.publish(Self.posts) })
        }
        Comparison.print(
            "a post",
            [
                ("beside no sleepers", Comparison(alone, to: alone)),
                ("beside \(count) sleepers", Comparison(beside, to: alone)),
            ])

        let awake = try PeerClients(bare, count: count)
        let asleep = try PeerClients(crowded, sleepers)
        let control = try crowded.connection()
        var sent: [Cost] = []
        var woken: [Cost] = []
        for _ in 0..<Self.rounds {
            sent.append(try Cost(of: bare, deliveries: count) { try awake.publish(1) })
            // A change for every sleeper.
            try crowdedClients.publish(1)
            woken.append(
                try Cost(of: crowded, deliveries: count) {
                    var received = 0
                    try setState(of: names, toBackground: false, with: control) {
                        received += try asleep.receive(count, atMost: 0)
                    }
                    try asleep.receive(count - received)
                })
            try setState(of: names, toBackground: true, with: control) {}
            try control.send(Call.fence.encoded())
            try control.receive(through: "\0")
        }
        Comparison.print(
            "\(count) subscribers, each",
            [
                ("sent by the bare loop", Comparison(sent, to: sent)),
                ("woken by the bus", Comparison(woken, to: sent)),
            ])
    }

    /// Sends calls that have no reply, and calls a closure after each batch.
    private func setState(
        of names: [String], toBackground isBackground: Bool, with control: PeerConnection, batch: () throws -> Void
    ) throws {
        for first in stride(from: 0, to: names.count, by: Self.batch) {
            let calls = names[first..<min(names.count, first + Self.batch)].flatMap { name in
                Call(.setState(subscription: name, to: isBackground ? .background : .foreground), isOneway: true)
                    .encoded()
            }
            try control.send(calls)
            try batch()
        }
    }
}
