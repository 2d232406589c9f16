// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Prices of AWS IoT Core in US dollars, as an example of a broker that is paid by use.
///
/// As published for the region us-east-1 in January 2025, and quoted by third parties; check them before you decide. A
/// retained message is billed twice, once as a message and once as a change of what is retained.
enum Prices {
    /// The month in which the prices were noted.
    static let date = "2025-01"
    /// Prices of a million messages: each up to a number of messages a month.
    static let messages: [(upTo: Double, price: Double)] = [(1e9, 1.00), (5e9, 0.80), (.infinity, 0.70)]
    /// The price of a million minutes of a connection.
    static let connectionMinutes = 0.08
    /// How often a retained message is billed.
    static let retainedFactor = 2.0

    /// The price of retained messages in a month.
    static func retained(_ messages: Double) -> Double {
        var (price, rest, start) = (0.0, messages * retainedFactor, 0.0)
        for tier in self.messages {
            let part = min(rest, tier.upTo - start)
            price += part / 1e6 * tier.price
            (rest, start) = (rest - part, tier.upTo)
        }
        return price
    }

    /// The price of connections in a month.
    static func connected(minutes: Double) -> Double { minutes / 1e6 * connectionMinutes }
}
