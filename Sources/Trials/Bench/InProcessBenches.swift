// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// Measures how long it takes to parse a call of Post, and to check and decode it as the bus does.
struct MessageBench {
    private static let rounds = 7
    private static let messages = 20_000

    func run() throws {
        let battery = Battery(
            state: .charging, level: 0.51, isPlugged: true, chargeStatus: .charging,
            packs: [.init(name: "BAT0", level: 0.51, chargeStatus: .charging)])
        let message = Call(Post(.battery(battery))).encoded()
        let text = Array(message.dropLast())
        let description = ServiceDescription.bus()
        var session = ServerSession()
        print("a Post of \(text.count) bytes, in microseconds of processor time for each, best of \(Self.rounds) runs:")
        try measure("JSON.parse") { _ = try JSON.parse(text) }
        try measure("Call(parsing:)") { _ = try Call(parsing: text) }
        try measure("taken from a session, checked and decoded") {
            session.receive(message.span)
            guard let call = try session.nextCall(), case .method(let position) = try description.resolve(call) else {
                throw BenchError("refused")
            }
            _ = try Post.decode(call, at: position, of: description, history: 1)
            _ = session.reply()
        }
    }

    private func measure(_ name: String, _ body: () throws -> Void) throws {
        var least = Int64.max
        for _ in 0..<Self.rounds {
            let start = Clocks.thread()
            for _ in 0..<Self.messages { try body() }
            least = min(least, Clocks.thread() - start)
        }
        report(name, (Double(least) / Double(Self.messages)).rounded(to: 2))
    }
}

/// Measures the memory of a subscription to one aspect in the bus, without its connection.
struct SubscriptionBench {
    /// The most bytes that a subscription may take.
    private static let limit = 512
    /// The numbers of subscriptions between which the memory is measured; the first subscriptions fill memory left by
    /// the start.
    private static let counts = 10_000..<100_000

    /// Prints the figure, which must not be above its limit.
    func run() throws {
        let now = Timestamp(microseconds: 0)
        var bus = Bus(
            restoring: SavedState(instance: "bench", sequence: 0, entries: []), history: 256, at: now)
        _ = bus.report(.proximity(.far), at: now)
        let usage = ProcessUsage(pid: getpid())
        var before = 0
        for number in 0..<Self.counts.upperBound {
            if number == Self.counts.lowerBound { before = usage.dirtyMemory }
            _ = bus.subscribe(
                SubscriptionRequest(aspects: [.proximity]), as: SubscriptionID(rawValue: UInt64(number)), at: now)
        }
        let bytes = withExtendedLifetime(bus) { (usage.dirtyMemory - before) * 1_024 / Self.counts.count }
        report("a subscription to one aspect", "\(bytes) bytes of memory")
        guard bytes <= Self.limit else { throw BenchError("a subscription takes \(bytes) bytes, above \(Self.limit)") }
    }
}
