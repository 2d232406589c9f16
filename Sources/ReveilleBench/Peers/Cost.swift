// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The cost of some deliveries, for each of them in microseconds.
struct Cost {
    /// The processor time of the peer, which other programs on the machine hardly affect.
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
    let least: Double
    let median: Double
    let most: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        (least, median, most) = (sorted[0], sorted[sorted.count / 2], sorted[sorted.count - 1])
    }

    var description: String { [least, median, most].map { $0.rounded(to: 2) }.joined(separator: ", ") }
}

/// The costs of a peer in several rounds, beside those of the baseline in the same rounds.
struct Comparison: CustomStringConvertible {
    let processorTime: Spread
    private let time: Spread
    private let processorRatio: Spread
    private let ratio: Spread

    init(_ costs: [Cost], to baseline: [Cost]) {
        processorTime = Spread(costs.map(\.processorTime))
        time = Spread(costs.map(\.time))
        processorRatio = Spread(zip(costs, baseline).map { $0.processorTime / $1.processorTime })
        ratio = Spread(zip(costs, baseline).map { $0.time / $1.time })
    }

    /// The columns of a table.
    var description: String {
        "\(processorTime.median.rounded(to: 2)) µs | \(processorRatio) | \(time.median.rounded(to: 2)) µs | \(ratio)"
    }
}

/// The costs of a delivery to any number of subscribers, for a plot.
struct CostTable {
    private var series: [(name: String, points: [(x: Double, y: Double)])] = []

    /// Adds a cost.
    mutating func add(_ name: String, _ count: Int, _ cost: Double) {
        let index = series.firstIndex { $0.name == name } ?? series.count
        if index == series.count { series.append((name, [])) }
        series[index].points.append((Double(count), cost))
    }

    var plot: Plot {
        Plot(
            title: "CPU time of the broker for each delivery", x: "subscribers", y: "microseconds",
            scale: .logarithmic, series: series)
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
