// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleSystem

/// Checks that events survive being written in the kernel's format and parsed again.
enum InotifyTarget {
    private static let header = 16

    static func check(_ bytes: [UInt8]) throws(Broken) {
        let events = bytes.withUnsafeBytes { InotifyEvent.events(in: $0) }
        try require(events.count <= bytes.count / header, "an event has a header")
        for event in events { try require(event.name?.utf8.contains(0) != true, "a name has no NUL") }
        let written = events.flatMap(bytes(of:))
        let again = written.withUnsafeBytes { InotifyEvent.events(in: $0) }
        try requireEqual(again, events, "events after encoding")
    }

    private static func bytes(of event: InotifyEvent) -> [UInt8] {
        let notUTF8: [UInt8] = [0xff]
        let name = (event.name.map { Array($0.utf8) } ?? notUTF8) + [0]
        let padding = (header - name.count % header) % header
        let numbers = [UInt32(bitPattern: event.watch), event.mask, 0, UInt32(name.count + padding)]
        // The kernel uses the native byte order.
        let head = numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
        return head + name + Array(repeating: 0, count: padding)
    }
}

/// Checks that network entries survive being written and parsed again, and that the reading follows from them.
enum NetworkTarget {
    /// The longest name of an interface in bytes; bytes that are not UTF-8 are replaced by three each.
    private static let nameLimit = 15

    static func check(_ bytes: [UInt8]) throws(Broken) {
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

/// Checks that every size and mode of a display is positive, and that a damaged description is refused.
///
/// The input is the first line of a list of modes, followed by a description.
enum DisplayTarget {
    /// The size of the base block of a description.
    private static let blockSize = 128

    static func check(_ bytes: [UInt8]) throws(Broken) {
        var input = FuzzInput(bytes)
        let mode = DisplayMode(firstOf: input.line())
        var block = Array(input.rest)
        let description = EDID(block)
        for mode in [mode, description?.mode].compactMap({ $0 }) {
            try require(mode.width > 0 && mode.height > 0, "the mode \(mode) has pixels")
            try requireEqual(DisplayMode(firstOf: "\(mode.width)x\(mode.height)\n"), mode, "a mode after encoding")
        }
        try checkSize(of: description)
        let connector = DisplayConnector(name: "DP-1", isConnected: true, mode: mode, description: description)
        let reading = DisplayRule.reading(of: [connector], brightness: nil, scale: nil)
        try requireEncodable(.display(reading))
        // Most inputs lack only the right checksum, without which little of the reader runs.
        guard block.count >= blockSize else { return }
        block[blockSize - 1] = 0 &- block.prefix(blockSize - 1).reduce(0, &+)
        try checkSize(of: EDID(block))
        block[0] ^= 1
        try require(EDID(block) == nil, "a damaged description is refused")
    }

    private static func checkSize(of description: EDID?) throws(Broken) {
        guard let size = description?.size else { return }
        try require(size.width > 0 && size.height > 0, "the size \(size) is positive")
    }
}
