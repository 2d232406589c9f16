// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// Compares the bus with other brokers: the cost of a delivery, sleepers, and memory for a subscriber that does not read.
///
/// Every ratio is to the bare loop in the same round, and the rounds of all peers alternate. Peers run on the first
/// processor; their clients run there too, or on the second.
struct PeerBench {
    /// The numbers of subscribers at which all peers are compared.
    private static let counts = [1, 10, 100, 1_000]
    private static let rounds = 7
    /// The deliveries of a round, so that it takes some ten milliseconds, and the fewest and most messages for them.
    private static let deliveries = 10_000
    private static let messages = 3...3_000
    /// The fewest messages of a round from which the 99th percentile is computed.
    private static let timedMessages = 100

    /// The most subscribers of a curve; the bus needs two descriptors for each of them.
    static var most: Int { min(10_000, (DescriptorLimit.raise() - 1_000) / 2) }

    /// Prints the tables, and writes the plots to a directory.
    func run(plots: String) throws {
        try Processors.use(0)
        var table = CostTable()
        for count in Self.counts { try compare(try Peers.all(), count, &table) }
        for count in [3_000, Self.most] where count <= Self.most {
            try compare([BarePeer(), ReveillePeer()], count, &table)
        }
        table.print()
        try SleeperBench().run()
        let memory = try MemoryBench().run()
        try table.plot.write(to: plots + "/delivery.svg")
        try memory.write(to: plots + "/memory.svg")
    }

    private func compare(_ peers: [any Peer], _ count: Int, _ table: inout CostTable) throws {
        let running = try peers.compactMap { peer -> (broker: PeerBroker, clients: PeerClients)? in
            do {
                let broker = try PeerBroker(peer)
                return (broker, try PeerClients(broker, count: count))
            } catch {
                guard !(peer is BarePeer), !(peer is ReveillePeer) else { throw error }
                print("\(peer.name) is skipped, because it is not installed or does not start: \(error)")
                return nil
            }
        }
        let fewest = Self.counts.contains(count) ? Self.timedMessages : Self.messages.lowerBound
        let messages = min(max(Self.deliveries / count, fewest), Self.messages.upperBound)
        for cores in 1...min(2, Processors.count) {
            try Processors.use(cores - 1)
            var costs = Array(repeating: [Cost](), count: running.count)
            var times = Array(repeating: Samples(), count: running.count)
            for _ in 0..<Self.rounds {
                for (index, peer) in running.enumerated() {
                    costs[index].append(
                        try Cost(of: peer.broker, deliveries: messages * count) {
                            times[index].add(try peer.clients.publish(messages))
                        })
                }
            }
            for (index, peer) in running.enumerated() {
                let comparison = Comparison(costs[index], to: costs[0])
                table.add(peer.broker.peer.name, count, cores: cores, comparison, times[index])
            }
            try Processors.use(0)
        }
    }
}
