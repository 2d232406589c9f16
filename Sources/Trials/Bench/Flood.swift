// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleWire
import Varlink

/// A load that one user puts on a bus, from a separate process that runs until it is killed.
struct Flood: Sendable {
    let name: String
    /// Whether it changes long values: each name keeps 64 KiB, also for a later save.
    let publishes: Bool
    private let run: @Sendable (UnixAddress) throws -> Void

    private init(_ name: String, publishes: Bool = false, _ run: @escaping @Sendable (UnixAddress) throws -> Void) {
        (self.name, self.publishes, self.run) = (name, publishes, run)
    }

    /// All loads but ``changes``.
    static let all = [
        // Opens connections at full speed, keeps them briefly, and sends nothing.
        Flood("connections") { try connect($0, saying: [], keeping: 200) },
        // Connects, sends data that is not a call, and is disconnected.
        Flood("garbage") { try connect($0, saying: Array("}{\0".utf8), keeping: 16) },
        // Sends calls continuously on as many connections as allowed.
        Flood("frames") { try send(bytes(GetState([.locale])), to: $0) },
        // Refreshes the devices continuously.
        Flood("refreshes") { try send(bytes(Refresh()), to: $0) },
        // Requests states that must be sampled first.
        Flood("states") { try send(bytes(GetState(.device)), to: $0) },
        // Repeatedly subscribes to sensors and disconnects.
        Flood("subscriptions") {
            let request = SubscriptionRequest(aspects: [.battery, .orientation, .proximity])
            try connect($0, saying: bytes(Subscribe(request)), keeping: 32)
        },
        // Asks for the demand for the most names and patterns, all below those of the probe, and reads each change.
        Flood("observers") { address in
            let streams = try (0..<60).map { _ in try UnixStream(connectingTo: address) }
            for stream in streams { _ = try stream.write(bytes(ObserveDemand(watched())).span) }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            try repeating {
                for stream in streams { _ = try buffer.withUnsafeMutableBytes { try stream.read(into: $0) } }
                poll(nil, 0, 1)
            }
        },
        // Does so on new connections all the time, and does not read.
        Flood("passingObservers") { try connect($0, saying: bytes(ObserveDemand(watched())), keeping: 60) },
        // Lists all subscriptions on a new connection each time.
        Flood("lists") { try connect($0, saying: bytes(ListSubscriptions()), keeping: 60) },
        // Requests long replies on new connections, and does not read them.
        Flood("settings") { try connect($0, saying: bytes(GetState([.defaults])), keeping: 60) },
        // Posts states without permission.
        Flood("posts") { try send(bytes(Post(.proximity(.near))), to: $0) },
        // Publishes names for the duration of short connections.
        Flood("ties") {
            let calls = try (0..<20).flatMap { try bytes(publication($0, round: 0, length: 10, isTied: true)) }
            try connect($0, saying: calls, keeping: 16)
        },
        // Changes long values of as many names as allowed, which makes the saved state as large as possible.
        Flood("values", publishes: true) {
            // The states of the two rounds differ, so each call is a change.
            let calls = try (0..<2 * names).map { try publication($0 % names, round: $0 / names) }
            try send(calls.flatMap(bytes), to: $0)
        },
        // Lists sleeping subscriptions to all names; the names are as long as allowed.
        Flood("sleepers", publishes: true) {
            let subscribers = try sleepingClients(50, $0)
            try send(bytes(ListSubscriptions()), to: $0, over: 12)
            withExtendedLifetime(subscribers) {}
        },
        // Requests the states of all names by as many patterns as allowed.
        Flood("patterns", publishes: true) {
            try change(BlockingClient($0), round: 2)
            let patterns = (1..<BusInterface.aspectLimit).map { Aspect(stringLiteral: "org.other\($0).*") }
            try send(bytes(GetState(AspectSet(patterns + [allNames]))), to: $0)
        },
        // Requests the states of all names, does not read them, and changes the names meanwhile.
        Flood("unreadStates", publishes: true) { try leaveUnread(GetState([allNames]), $0, over: 60) },
        // Subscribes to all names with their states, does not read them, and changes the names meanwhile.
        Flood("unreadStarts", publishes: true) {
            try leaveUnread(Subscribe(SubscriptionRequest(aspects: [allNames], wantsInitial: true)), $0, over: 60)
        },
        // Lists sleeping subscriptions to all names, and does not read the lists.
        Flood("unreadLists", publishes: true) {
            let subscribers = try sleepingClients(30, $0)
            try leaveUnread(ListSubscriptions(), $0, over: 30)
            withExtendedLifetime(subscribers) {}
        },
    ]

    /// Changes the value of one name a million times on one connection, and ends.
    static let changes = Flood("changes") {
        try BlockingClient($0).send(numberOfChanges) { number in
            Publish(PublishedValue("org.example.flood", ["changed": .integer(Int64(number))]))
        }
    }

    static let numberOfChanges = 1_000_000

    /// The user that floods.
    static let user: uid_t = 65_534
    static let argument = "flood-user"
    /// The default limit of connections per user.
    private static let connectionsOfUser = 64
    /// The maximum duration, in case the process is not killed.
    private static let seconds: Int64 = 60

    /// Changes to another user, if this process runs as root.
    static func become(user: uid_t) {
        guard geteuid() == 0 else { return }
        setgroups(0, nil)
        setgid(user)
        setuid(user)
    }

    func start(_ address: String) throws -> Worker { try Worker([Self.argument, name, address]) }

    // MARK: - In the flood's process

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2, let flood = (all + [changes]).first(where: { $0.name == arguments[0] }) else {
            throw BenchError("invalid flood: \(arguments)")
        }
        become(user: user)
        try flood.run(UnixAddress(arguments[1]))
    }

    private static let names = 1_000
    private static let allNames: Aspect = "org.example.*"
    /// Makes the names almost as long as allowed.
    private static let prefix = "org.example." + String(repeating: "long-", count: 46)

    /// Returns long names and patterns that nobody else observes, and one pattern that spans all of them.
    private static func watched() -> AspectSet {
        let start = "org.watched.\(UInt16.random(in: 0...UInt16.max))." + String(repeating: "long-", count: 40)
        let names = (1..<BusInterface.aspectLimit).map { start + "\($0)" + ($0 % 2 == 0 ? ".*" : "") }
        return AspectSet(names.map { Aspect(stringLiteral: $0) } + ["org.*"])
    }

    private static func publication(
        _ number: Int, round: Int, length: Int = 4_000, isTied: Bool = false
    ) throws -> Publish {
        guard let name = Aspect(prefix + "n\(number)") else { throw BenchError("an invalid name") }
        let text = String(repeating: "x", count: length)
        let value: JSONObject = ["round": .integer(Int64(round)), "text": .string(text)]
        return Publish(PublishedValue(name, value), whileConnected: isTied)
    }

    /// Changes the long values of all names.
    private static func change(_ client: BlockingClient, round: Int) throws {
        try client.send(names) { try publication($0, round: round) }
    }

    /// Returns sleeping subscriptions to all names, after a change of each name.
    private static func sleepingClients(_ count: Int, _ address: UnixAddress) throws -> [BlockingClient] {
        let publisher = try BlockingClient(address)
        try change(publisher, round: 2)
        let clients = try BlockingClient.sleepers(count, at: address, to: [allNames])
        try change(publisher, round: 3)
        return clients
    }

    /// Sends a call on many connections, changes all names after each call, and then keeps changing the names.
    private static func leaveUnread(_ method: some BusMethod, _ address: UnixAddress, over count: Int) throws {
        let publisher = try BlockingClient(address)
        var round = 4
        try change(publisher, round: round)
        var streams: [UnixStream] = []
        try repeating {
            if streams.count < count {
                streams.append(try UnixStream(connectingTo: address))
                _ = try streams.last?.write(bytes(method).span)
            }
            round += 1
            try change(publisher, round: round)
        }
    }

    private static func bytes(_ method: some BusMethod) -> [UInt8] {
        Call(method).encoded()
    }

    private static func repeating(_ body: () throws -> Void) rethrows {
        let end = Clocks.boot() + seconds * 1_000_000
        while Clocks.boot() < end { try body() }
    }

    /// Connects repeatedly, and closes the oldest connections.
    private static func connect(
        _ address: UnixAddress, saying bytes: @autoclosure () -> [UInt8], keeping count: Int
    ) throws {
        var streams: [UnixStream] = []
        repeating {
            // A full queue is the intended effect.
            guard let stream = try? UnixStream(connectingTo: address) else { return }
            let bytes = bytes()
            if !bytes.isEmpty { _ = try? stream.write(bytes.span) }
            streams.append(stream)
            if streams.count > count { streams.removeFirst() }
        }
    }

    /// Sends calls as often as the sockets of all connections allow, and reads the replies.
    private static func send(
        _ calls: [UInt8], to address: UnixAddress, over connections: Int = connectionsOfUser
    ) throws {
        // A single call is repeated in one write.
        let batch = calls.count < 10_000 ? (0..<50).flatMap { _ in calls } : calls
        let streams = try (0..<connections).map { _ in try UnixStream(connectingTo: address) }
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
