// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// A kind of load that one user puts on a bus, from a separate process that runs until it is killed.
enum Flood: String, CaseIterable {
    /// Opens connections at full speed, keeps them briefly, and sends nothing.
    case connections
    /// Connects, sends data that is not a call, and is disconnected.
    case garbage
    /// Sends calls continuously on as many connections as allowed.
    case frames
    /// Refreshes the devices continuously.
    case refreshes
    /// Requests states that must be sampled first.
    case states
    /// Repeatedly subscribes to sensors and disconnects.
    case subscriptions
    /// Lists all subscriptions on a new connection each time.
    case lists
    /// Requests long replies on new connections, and does not read them.
    case settings
    /// Posts states without permission.
    case posts
    /// Changes long values of as many names as allowed, which makes the saved state as large as possible.
    case values
    /// Publishes names for the duration of short connections.
    case ties
    /// Changes the value of one name a million times on one connection, and ends.
    case changes

    /// The user that floods.
    static let user: uid_t = 65_534
    static let argument = "flood-user"
    /// The default limit of connections per user.
    private static let connectionsOfUser = 64
    /// The maximum duration, in case the process is not killed.
    private static let seconds: Int64 = 60
    /// The number of ``changes``.
    static let numberOfChanges = 1_000_000

    /// Changes to another user, if this process runs as root.
    static func become(user: uid_t) {
        guard geteuid() == 0 else { return }
        setgroups(0, nil)
        setgid(user)
        setuid(user)
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2, let flood = Flood(rawValue: arguments[0]) else {
            throw BenchError("invalid flood: \(arguments)")
        }
        become(user: user)
        let address = try UnixAddress(arguments[1])
        switch flood {
        case .connections: try connect(address, saying: [], keeping: 200)
        case .garbage: try connect(address, saying: Array("}{\0".utf8), keeping: 16)
        case .subscriptions:
            let request = SubscriptionRequest(aspects: [.battery, .orientation, .proximity])
            try connect(address, saying: bytes(.subscribe(request)), keeping: 32)
        case .lists: try connect(address, saying: bytes(.listSubscriptions), keeping: 60)
        case .settings: try connect(address, saying: bytes(.getState(.defaults)), keeping: 60)
        case .frames: try send(bytes(.getState(.locale)), to: address)
        case .states: try send(bytes(.getState(.device)), to: address)
        case .refreshes: try send(bytes(.refresh), to: address)
        case .posts: try send(bytes(.post(.proximity(.near))), to: address)
        case .values:
            // The states of one round differ from those of the next, so each call is a change.
            let rounds = try (0..<2).flatMap { round in try publications(count: 1_000, length: 4_000, round: round) }
            try send(rounds, to: address)
        case .ties:
            try connect(address, saying: publications(count: 20, length: 10, isTied: true), keeping: 16)
        case .changes:
            try BlockingClient(address).publish(numberOfChanges) { number in
                PublishedValue("org.example.flood", ["changed": .integer(Int64(number))])
            }
        }
    }

    private static func publications(
        count: Int, length: Int, round: Int = 0, isTied: Bool = false
    ) throws -> [UInt8] {
        let text = String(repeating: "x", count: length)
        return try (0..<count).flatMap { number in
            guard let name = Aspect("org.example.n\(number)") else { throw BenchError("an invalid name") }
            let value: JSONObject = ["round": .integer(Int64(round)), "text": .string(text)]
            return bytes(.publish(PublishedValue(name, value), whileConnected: isTied))
        }
    }

    private static func bytes(_ call: BusCall) -> [UInt8] {
        Call(call).encoded()
    }

    private static func repeating(_ body: () throws -> Void) rethrows {
        let end = MonotonicClock.now + seconds * 1_000_000_000
        while MonotonicClock.now < end { try body() }
    }

    /// Connects repeatedly, and closes the oldest connections.
    private static func connect(_ address: UnixAddress, saying bytes: [UInt8], keeping count: Int) throws {
        var streams: [UnixStream] = []
        repeating {
            // A full queue is the intended effect.
            guard let stream = try? UnixStream(connectingTo: address) else { return }
            if !bytes.isEmpty { _ = try? stream.write(bytes.span) }
            streams.append(stream)
            if streams.count > count { streams.removeFirst() }
        }
    }

    /// Sends calls as often as the sockets of all connections allow, and reads the replies.
    private static func send(_ calls: [UInt8], to address: UnixAddress) throws {
        // A single call is repeated in one write.
        let batch = calls.count < 10_000 ? (0..<50).flatMap { _ in calls } : calls
        let streams = try (0..<connectionsOfUser).map { _ in try UnixStream(connectingTo: address) }
        var rests = [ArraySlice<UInt8>](repeating: batch[...], count: streams.count)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        try repeating {
            for (index, stream) in streams.enumerated() {
                let rest = rests[index]
                if case .bytes(let count) = try stream.write(rest.span) {
                    rests[index] = rests[index].dropFirst(count)
                }
                if rests[index].isEmpty { rests[index] = batch[...] }
                _ = try buffer.withUnsafeMutableBytes { try stream.read(into: $0) }
            }
        }
    }
}
