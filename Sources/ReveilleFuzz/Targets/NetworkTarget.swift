// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Checks that network entries survive being written and parsed again, and that the reading follows from them.
enum NetworkTarget {
    /// The longest name of an interface in bytes; bytes that are not UTF-8 are replaced by three each.
    private static let nameLimit = 15

    static func check(_ bytes: [UInt8]) throws(Falsified) {
        let messages = NetlinkMessage.messages(in: bytes)
        try require(messages.count <= bytes.count / 16, "a message has a header")
        try requireEqual(
            NetlinkMessage.messages(in: messages.flatMap(\.bytes)), messages, "messages after encoding")
        var tables = NetworkTables()
        for message in messages {
            tables.insert(message)
            guard let entry = NetworkEntry(message) else { continue }
            try requireEqual(NetworkEntry(entry.message), entry, "an entry after encoding")
            if case .link(let link) = entry {
                try require(link.name.utf8.count <= nameLimit, "the name \(link.name) is short")
                try require(!link.name.contains("/"), "the name \(link.name) is not a path")
            }
            let isNew = message.type & 1 == 0
            try requireEqual(tables.differ(after: message), !isNew, "news of a known entry")
        }
        let reading = NetworkRule.reading(of: tables) { NetworkRule.kind(of: $0, deviceType: nil, isWireless: false) }
        try requireEqual(reading.isReachable, reading.interface != nil, "a reachable network has an interface")
        try require(reading.addresses.count <= NetworkRule.addressLimit, "a short list of addresses")
        try requireEncodable(.network(reading))
    }
}
