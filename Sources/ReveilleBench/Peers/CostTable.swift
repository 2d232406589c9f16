// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The costs of a delivery to different numbers of subscribers.
struct CostTable {
    private struct Result {
        let name: String
        let count: Int
        let cores: Int
        let comparison: Comparison
        let times: Samples

        /// Whether a 99th percentile of the times means anything.
        var isTimed: Bool { times.count >= 300 }
    }

    private var results: [Result] = []

    /// Adds the costs of a peer, whose clients run on its own core (1) or on another (2), and the times of its messages
    /// until the last subscriber has read them.
    mutating func add(_ name: String, _ count: Int, cores: Int, _ comparison: Comparison, _ times: Samples) {
        results.append(Result(name: name, count: count, cores: cores, comparison: comparison, times: times))
    }

    private var names: [String] { results.map(\.name).withoutRepetitions }
    private var counts: [Int] { results.map(\.count).withoutRepetitions }

    /// Prints a table for each figure.
    func print() {
        for cores in results.map(\.cores).withoutRepetitions {
            let place = cores == 1 ? "clients on the same core" : "clients on another core"
            print("CPU time, \(place)", cores, \.processorTime, \.processorRatio)
            print("time, \(place)", cores, \.time, \.ratio)
            let timed = counts.filter { count in results.contains { $0.count == count && $0.isTimed } }
            print("99% of the messages, as a ratio to their median, \(place)", cores, timed) { result, _ in
                let (median, most) = (result.times.percentile(0.5), result.times.percentile(0.99))
                return "\((most / median).rounded(to: 2)) (\(most.rounded(to: 0)) µs)"
            }
        }
    }

    private func print(
        _ title: String, _ cores: Int, _ value: KeyPath<Comparison, Spread>, _ ratio: KeyPath<Comparison, Spread>
    ) {
        print(title, cores, counts) { result, isBaseline in
            let comparison = result.comparison
            return isBaseline
                ? comparison[keyPath: value].median.rounded(to: 2) + " µs" : "\(comparison[keyPath: ratio])"
        }
    }

    private func print(_ title: String, _ cores: Int, _ counts: [Int], _ cell: (Result, _ isBaseline: Bool) -> String) {
        Swift.print("\n| \(title) | \(counts.map { "\($0)" }.joined(separator: " | ")) |")
        Swift.print("| --- |\(String(repeating: " --- |", count: counts.count))")
        for (index, name) in names.enumerated() {
            let cells = counts.map { count in
                let result = results.first { $0.name == name && $0.count == count && $0.cores == cores }
                return result.map { cell($0, index == 0) } ?? ""
            }
            Swift.print("| \(name) | \(cells.joined(separator: " | ")) |")
        }
    }

    /// The processor time with all on one core, without the cost of waking another.
    var plot: Plot {
        Plot(
            title: "CPU time of the broker for each delivery", x: "subscribers", y: "microseconds",
            scale: .logarithmic,
            series: names.map { name in
                let points = results.filter { $0.name == name && $0.cores == 1 }
                return (name, points.map { (Double($0.count), $0.comparison.processorTime.median) })
            })
    }
}

extension Array where Element: Equatable {
    /// The elements in order, each once.
    fileprivate var withoutRepetitions: [Element] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
