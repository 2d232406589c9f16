// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CPeers
import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// Measures the memory and the wake-ups of an idle bus beside those of other brokers, and the memory of a subscription.
struct FootprintBench {
    /// The most that an idle bus may use.
    private static let limit = Footprint(resident: 10 * 1_024, dirty: 1_536, wakeups: 0)
    /// The most bytes of heap that a subscription to one aspect may take, without its connection.
    private static let subscriptionLimit = 512

    private static let minute: Int32 = 60_000
    /// The most minutes to measure.
    ///
    /// If another program changes a setting or a network link of this machine meanwhile, the subscribers must be
    /// notified, and the next minute is measured.
    private static let minutes = 3
    /// The time in milliseconds that a broker has to finish its start, or to notice that clients have left.
    private static let rest: Int32 = 5_000
    /// The number of clients that use the bus and leave.
    private static let clients = 1_000
    /// The number of subscriptions whose heap is measured.
    private static let subscriptions = 20_000

    /// The path of a statically linked `reveille`.
    let program: String

    /// Prints the figures.
    ///
    /// - Throws: `BenchError` if a figure of the bus is above its limit.
    func run() throws {
        let bus = ReveillePeer(program: program)
        let running = try ([bus, MosquittoPeer(), DBusPeer(), RedisPeer()] as [any Peer]).compactMap { peer in
            do {
                return try PeerBroker(peer)
            } catch  where !(peer is ReveillePeer) {
                print("\(peer.name) is skipped, because it is not installed or does not start: \(error)")
                return nil
            }
        }
        // The subscribers get nothing, but a bus without any would have no reason to wake up.
        let subscribers = [try running[0].connection(), try running[0].connection()]
        let aspects = try Self.aspectsWithoutSensors(asking: subscribers[0])
        for (index, subscriber) in subscribers.enumerated() {
            _ = try bus.subscription(on: subscriber, to: aspects, isInBackground: index == 0)
        }
        poll(nil, 0, Self.rest)
        var idle = Self.idleMinute(of: running)
        for _ in 1..<Self.minutes where idle[0].wakeups != 0 { idle = Self.idleMinute(of: running) }
        withExtendedLifetime(subscribers) {}
        var clients: PeerClients? = try PeerClients(running[0], count: Self.clients)
        try clients?.publish(1)
        clients = nil
        poll(nil, 0, Self.rest)
        let used = Footprint(of: running[0].usage)

        print("\n| idle | resident | private and dirty | wake-ups in a minute |")
        print("| --- | ---: | ---: | ---: |")
        for (broker, footprint) in zip(running, idle) { print("| \(broker.peer.name) \(footprint)") }
        print("| Reveille, after \(Self.clients) subscribers \(used)")
        let subscription = Self.subscriptionHeap()
        print("\na subscription to one aspect: \(subscription) bytes of heap")
        print("with its connection: \(try connectionMemory(bus)) bytes of memory")
        try check(idle[0], subscription)
    }

    /// Returns the aspects that are not read from a device of this machine.
    private static func aspectsWithoutSensors(asking connection: PeerConnection) throws -> AspectSet {
        try connection.send(Call(.describeAspects).encoded())
        let reply = try Reply(parsing: connection.receive(through: "\0").dropLast())
        let sources = try [AspectSource](reply.parameters, noting: UnknownWords())
        return AspectSet(
            sources.filter { !$0.isAvailable || $0.aspect.builtIn?.sampling == .always }.map(\.aspect))
    }

    /// Returns what each broker uses in the course of a minute.
    private static func idleMinute(of running: [PeerBroker]) -> [Footprint] {
        let before = running.map(\.usage.wakeups)
        poll(nil, 0, minute)
        return zip(running, before).map { Footprint(of: $0.usage, wakeupsBefore: $1) }
    }

    private func check(_ idle: Footprint, _ subscription: Int) throws {
        for (name, value, limit) in [
            ("resident memory in kB", idle.resident, Self.limit.resident),
            ("private and dirty memory in kB", idle.dirty, Self.limit.dirty),
            ("number of wake-ups", idle.wakeups, Self.limit.wakeups),
            ("heap of a subscription in bytes", subscription, Self.subscriptionLimit),
        ] where value ?? 0 > limit ?? 0 {
            throw BenchError("the \(name) is \(value ?? 0), above \(limit ?? 0)")
        }
    }

    /// Returns the bytes of heap that each subscription takes in the bus.
    private static func subscriptionHeap() -> Int {
        let now = Timestamp(microseconds: 0)
        var bus = Bus(
            restoring: SavedState(instance: "bench", sequence: 0, entries: []), history: 256, at: now)
        _ = bus.report(.proximity(.far), at: now)
        let request = SubscriptionRequest(aspects: .proximity)
        let before = c_peers_heap()
        for number in 0..<subscriptions {
            _ = bus.subscribe(request, as: SubscriptionID(rawValue: UInt64(number)), at: now)
        }
        let after = c_peers_heap()
        return withExtendedLifetime(bus) { Int(after - before) / subscriptions }
    }

    /// Returns the bytes of memory that each subscriber takes in the process of the bus.
    private func connectionMemory(_ bus: ReveillePeer) throws -> Int {
        let broker = try PeerBroker(bus)
        var subscribers: [PeerConnection] = []
        var memory: [Int] = []
        // The first ones fill memory that the start has left.
        for count in [PeerBench.most / 5, PeerBench.most] {
            while subscribers.count < count { subscribers.append(try broker.subscriber()) }
            memory.append(broker.usage.dirtyMemory)
        }
        return (memory[1] - memory[0]) * 1_024 / (PeerBench.most - PeerBench.most / 5)
    }
}

/// What a process uses while it is idle.
private struct Footprint: CustomStringConvertible {
    /// The resident memory in kilobytes.
    var resident: Int
    /// The part of it that belongs to the process alone and is not on disk.
    var dirty: Int
    /// The number of times that a thread woke up.
    var wakeups: Int?

    init(resident: Int, dirty: Int, wakeups: Int) {
        (self.resident, self.dirty, self.wakeups) = (resident, dirty, wakeups)
    }

    init(of usage: ProcessUsage, wakeupsBefore: Int? = nil) {
        resident = usage.residentMemory
        dirty = usage.dirtyMemory
        wakeups = wakeupsBefore.map { usage.wakeups - $0 }
    }

    var description: String {
        let megabytes = { (kilobytes: Int) in (Double(kilobytes) / 1_024).rounded(to: 1) + " MB" }
        return "| \(megabytes(resident)) | \(megabytes(dirty)) | \(wakeups.map { "\($0)" } ?? "") |"
    }
}
