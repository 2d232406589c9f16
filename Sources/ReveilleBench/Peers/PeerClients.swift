// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CPeers
import Glibc
import ReveilleSystem

/// A publisher and its subscribers on one thread: each message is sent when all subscribers have read the previous one.
///
/// One message at a time is the only load that means the same for every peer: a queue would let some of them combine
/// messages in one write, and Reveille merge them in one event.
final class PeerClients {
    /// The time after which a missing delivery is a failure, in milliseconds.
    private static let patience: Int32 = 20_000
    /// The time in milliseconds that messages of the first rounds may take, before all subscriptions have begun.
    private static let firstPatience: Int32 = 300
    private static let firstRounds = 50

    private let broker: PeerBroker
    private let publisher: PeerConnection
    private let subscribers: [PeerConnection]
    private let clients: OwnedDescriptor
    private var number = 0

    /// Takes over subscribers.
    init(_ broker: PeerBroker, _ subscribers: [PeerConnection]) throws {
        self.broker = broker
        self.subscribers = subscribers
        publisher = try broker.publisher()
        let clients = c_peers_clients()
        guard clients >= 0 else { throw SystemError("epoll_create1") }
        self.clients = OwnedDescriptor(clients)
        for connection in subscribers + [publisher] {
            guard c_peers_add(clients, connection.number) == 0 else { throw SystemError("epoll_ctl") }
        }
    }

    /// Connects a number of subscribers, and lets them receive the first messages.
    convenience init(_ broker: PeerBroker, count: Int) throws {
        try self.init(broker, (0..<count).map { _ in try broker.subscriber() })
        try warmUp()
    }

    /// Publishes until every subscriber receives every message: subscriptions of some peers are not acknowledged.
    private func warmUp() throws {
        var complete = 0
        for _ in 0..<Self.firstRounds where complete < 3 {
            try publish()
            complete =
                try receive(subscribers.count, atMost: Self.firstPatience) == subscribers.count ? complete + 1 : 0
        }
        guard complete == 3 else { throw BenchError("not every subscriber receives the messages") }
    }

    /// Publishes a number of messages one after the other, each to all subscribers.
    ///
    /// - Returns: The time of each message until the last subscriber has read it.
    @discardableResult
    func publish(_ count: Int) throws -> Samples {
        var times = Samples()
        var start = MonotonicClock.now
        for _ in 0..<count {
            try publish()
            try receive(subscribers.count)
            let end = MonotonicClock.now
            times.add(Double(end - start) / 1_000)
            start = end
        }
        return times
    }

    /// Publishes a message without waiting.
    func publish() throws {
        number += 1
        try publisher.send(broker.peer.message(number))
    }

    /// Receives a number of messages of all subscribers together.
    func receive(_ count: Int) throws {
        let received = try receive(count, atMost: Self.patience)
        guard received == count else {
            throw BenchError("\(broker.peer.name): \(received) of \(count) messages were delivered")
        }
    }

    /// Receives messages until there are enough, or none for the given time in milliseconds; returns their number.
    func receive(_ count: Int, atMost patience: Int32) throws -> Int {
        let received = c_peers_receive(
            clients.number, publisher.number, count, Int32(broker.peer.lastByte), patience)
        guard received >= 0 else { throw SystemError("recv", on: broker.peer.name) }
        return received
    }
}
