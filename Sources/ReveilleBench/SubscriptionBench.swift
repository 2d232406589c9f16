// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore

/// Measures the memory of a subscription to one aspect in the bus, without its connection.
struct SubscriptionBench {
    /// The most bytes that a subscription may take.
    private static let limit = 512
    /// The numbers of subscriptions between which the memory is measured; the first subscriptions fill memory left by
    /// the start.
    private static let counts = 10_000..<100_000

    /// Prints the figure.
    ///
    /// - Throws: `BenchError` if it is above its limit.
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
                SubscriptionRequest(aspects: .proximity), as: SubscriptionID(rawValue: UInt64(number)), at: now)
        }
        let bytes = withExtendedLifetime(bus) { (usage.dirtyMemory - before) * 1_024 / Self.counts.count }
        report("a subscription to one aspect", "\(bytes) bytes of memory")
        guard bytes <= Self.limit else { throw BenchError("a subscription takes \(bytes) bytes, above \(Self.limit)") }
    }
}
