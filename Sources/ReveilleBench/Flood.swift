// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// A way for one user to keep a bus busy, in a process of its own until it is killed.
enum Flood: String, CaseIterable {
    /// Connects as fast as it can, keeps what it gets for a moment, and says nothing.
    case connections
    /// Connects, sends what is no call, and is thrown out.
    case garbage
    /// Sends calls on all connections that it may have, without a pause.
    case frames
    /// Has the devices read again, without a pause.
    case refreshes
    /// Asks for states that have to be read first.
    case states
    /// Subscribes to sensors and goes, over and over.
    case subscriptions
    /// Has everybody listed, on a new connection each time.
    case lists
    /// Asks for long answers on new connections, and does not read them.
    case settings
    /// Posts states, which a stranger may not.
    case posts

    static let argument = "flood-user"
    /// A bus takes so many of one user by default.
    private static let connectionsOfUser = 64
    /// An end for the case that nobody ends it.
    private static let seconds: Int64 = 60

    /// Becomes another user, where root may.
    static func become(user: uid_t) {
        guard geteuid() == 0 else { return }
        setgroups(0, nil)
        setgid(user)
        setuid(user)
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2, let flood = Flood(rawValue: arguments[0]) else {
            throw FloodError(description: "not a flood: \(arguments)")
        }
        become(user: 65_534)
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
        case .states: try send(bytes(.getState(.all)), to: address)
        case .refreshes: try send(bytes(.refresh), to: address)
        case .posts: try send(bytes(.post(.proximity(.near))), to: address)
        }
    }

    private static func bytes(_ call: BusCall) -> [UInt8] {
        Call(call).encoded()
    }

    private static func repeating(_ body: () throws -> Void) rethrows {
        let end = MonotonicClock.now + seconds * 1_000_000_000
        while MonotonicClock.now < end { try body() }
    }

    /// Connects again and again, and lets go of the oldest connection.
    private static func connect(_ address: UnixAddress, saying bytes: [UInt8], keeping count: Int) throws {
        var streams: [UnixStream] = []
        repeating {
            // A queue that is full is what it wants.
            guard let stream = try? UnixStream(connectingTo: address) else { return }
            if !bytes.isEmpty { _ = try? stream.write(bytes[...]) }
            streams.append(stream)
            if streams.count > count { streams.removeFirst() }
        }
    }

    /// Sends a call as often as the sockets of all connections take it, and reads what comes.
    private static func send(_ call: [UInt8], to address: UnixAddress) throws {
        let batch = (0..<50).flatMap { _ in call }
        let streams = try (0..<connectionsOfUser).map { _ in try UnixStream(connectingTo: address) }
        var rests = [ArraySlice<UInt8>](repeating: batch[...], count: streams.count)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        try repeating {
            for (index, stream) in streams.enumerated() {
                if case .bytes(let count) = try stream.write(rests[index]) {
                    rests[index] = rests[index].dropFirst(count)
                }
                if rests[index].isEmpty { rests[index] = batch[...] }
                _ = try buffer.withUnsafeMutableBytes { try stream.read(into: $0) }
            }
        }
    }
}
