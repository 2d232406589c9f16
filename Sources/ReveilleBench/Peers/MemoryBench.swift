// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Measures the memory of each peer while one of two subscribers does not read.
///
/// The other subscriber reads each message, which shows that the peer has processed it.
struct MemoryBench {
    /// The numbers of unread messages.
    private static let counts = [0, 1_000, 10_000, 25_000, 50_000, 75_000, 100_000]

    func run() throws -> Plot {
        var series: [(name: String, points: [(x: Double, y: Double)])] = []
        print(
            "\n| resident memory in MB after unread messages | \(Self.counts.map { "\($0)" }.joined(separator: " | ")) |"
        )
        print("| --- |\(String(repeating: " ---: |", count: Self.counts.count))")
        for peer in try Peers.all() {
            guard let broker = try? PeerBroker(peer) else { continue }
            let points = try measure(broker).map { (x: Double($0.count), y: $0.memory) }
            series.append((peer.name, points))
            let cells = Self.counts.map { count in points.first { $0.x == Double(count) }?.y.rounded(to: 1) ?? "ended" }
            print("| \(peer.name) | \(cells.joined(separator: " | ")) |")
        }
        return Plot(
            title: "Memory of the broker", x: "messages that one subscriber has not read", y: "megabytes",
            scale: .linear, series: series)
    }

    private func measure(_ broker: PeerBroker) throws -> [(count: Int, memory: Double)] {
        let reader = try PeerClients(broker, count: 1)
        let stalled = try broker.subscriber()
        var results: [(count: Int, memory: Double)] = []
        var published = 0
        for count in Self.counts {
            try reader.publish(count - published)
            published = count
            results.append((count, Double(broker.usage.residentMemory) / 1_024))
        }
        withExtendedLifetime(stalled) {}
        return results
    }
}
