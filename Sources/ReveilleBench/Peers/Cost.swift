// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The cost of some deliveries, for each of them in microseconds.
struct Cost {
    /// The processor time of the peer, which other programs affect less than the time.
    let processorTime: Double
    /// The time until all subscribers have read, including the work of the clients.
    let time: Double

    /// Measures deliveries.
    init(of broker: PeerBroker, deliveries: Int, by body: () throws -> Void) throws {
        let usage = broker.usage
        let processorTime = usage.processorTime
        let start = MonotonicClock.now
        try body()
        time = Double(MonotonicClock.now - start) / 1_000 / Double(deliveries)
        self.processorTime = Double(usage.processorTime - processorTime) / 1_000 / Double(deliveries)
    }
}

/// The smallest, the middle and the largest of some numbers.
struct Spread: CustomStringConvertible {
    let median: Double
    private let least: Double
    private let most: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        (least, median, most) = (sorted[0], sorted[sorted.count / 2], sorted[sorted.count - 1])
    }

    var description: String {
        "\(median.rounded(to: 2)) (\(least.rounded(to: 2)) to \(most.rounded(to: 2)))"
    }
}

/// The costs of a peer in several rounds, beside those of the baseline in the same rounds.
struct Comparison {
    /// The processor time and the time for each delivery in microseconds.
    let processorTime: Spread
    let time: Spread
    /// Their ratios to the baseline.
    let processorRatio: Spread
    let ratio: Spread

    init(_ costs: [Cost], to baseline: [Cost]) {
        processorTime = Spread(costs.map(\.processorTime))
        time = Spread(costs.map(\.time))
        processorRatio = Spread(zip(costs, baseline).map { $0.processorTime / $1.processorTime })
        ratio = Spread(zip(costs, baseline).map { $0.time / $1.time })
    }

    /// Prints comparisons as a table, with what each costs in microseconds.
    static func print(_ title: String, _ rows: [(name: String, comparison: Comparison)]) {
        Swift.print("\n| \(title) | CPU time | ratio of the CPU time | time | ratio of the time |")
        Swift.print("| --- | ---: | --- | ---: | --- |")
        for (name, row) in rows {
            let (processorTime, time) = (row.processorTime.median.rounded(to: 2), row.time.median.rounded(to: 2))
            Swift.print("| \(name) | \(processorTime) µs | \(row.processorRatio) | \(time) µs | \(row.ratio) |")
        }
    }
}

extension Double {
    /// Returns the number with a fixed number of decimal places.
    func rounded(to places: Int) -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        withVaList([self]) { _ = vsnprintf(&buffer, buffer.count, "%.\(places)f", $0) }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
