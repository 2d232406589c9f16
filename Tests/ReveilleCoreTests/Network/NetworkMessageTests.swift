// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// Messages of rtnetlink, intact and damaged.
@Suite struct NetworkMessageTests {
    private static let entries: [NetworkEntry] = {
        var link = NetworkLink(index: 7, name: "br-lan")
        link.driver = "bridge"
        link.state = .unknown
        link.hasCarrier = false
        return [
            .link(link), NetworkRuleTests.address([192, 0, 2, 7], on: 7),
            NetworkRuleTests.address(NetworkRuleTests.version6(3), on: 7, scope: 253, flags: 0x320),
            .route(NetworkRoute(metric: 1_024, links: [7, 8])),
            .route(NetworkRoute(family: IPAddress.Family.version6, metric: .max, links: [])),
        ]
    }()

    private static var datagram: [UInt8] { entries.flatMap(\.message.bytes) }

    @Test func messagesAreReadBack() {
        #expect(NetlinkMessage.messages(in: Self.datagram).map { NetworkEntry($0) } == Self.entries)
    }

    @Test("a datagram that is cut at any byte gives the whole messages before the cut")
    func datagramMayBeCut() {
        for length in 0...Self.datagram.count {
            let found = NetlinkMessage.messages(in: Array(Self.datagram.prefix(length)))
            #expect(Self.entries.starts(with: found.compactMap { NetworkEntry($0) }))
        }
    }

    @Test("a message that is cut at any byte does not trap") func messageMayBeCut() {
        for message in Self.entries.map(\.message) {
            for length in 0...message.payload.count {
                var cut = message
                cut.payload = message.payload.prefix(length)
                _ = NetworkEntry(cut)
            }
        }
    }

    @Test("lengths that lie end the reading", arguments: [0, 1, 3, 0xFFFF, .max] as [UInt32])
    func lengthsMayLie(length: UInt32) {
        var bytes = Self.datagram
        bytes.replaceSubrange(0..<4, with: withUnsafeBytes(of: length) { Array($0) })
        #expect(NetlinkMessage.messages(in: bytes).isEmpty)
        // The first attribute of the link is its name.
        var message = Self.entries[0].message
        var payload = Array(message.payload)
        payload.replaceSubrange(16..<18, with: withUnsafeBytes(of: UInt16(truncatingIfNeeded: length)) { Array($0) })
        message.payload = payload[...]
        #expect(NetworkEntry(message) == nil)
    }

    @Test func unknownAttributesAndFlagsAreSkipped() {
        for entry in Self.entries {
            var message = entry.message
            // An attribute of an unknown type, with the flag of a nested one and an odd length.
            let numbers: [UInt16] = [7, 0x83FF]
            for number in numbers { withUnsafeBytes(of: number) { message.payload += $0 } }
            message.payload += [1, 2, 3, 0]
            #expect(NetworkEntry(message) == entry)
        }
    }

    @Test("a link whose name is a path is refused", arguments: ["", ".", "..", "../x", "0123456789abcdef"])
    func impossibleNameIsRefused(name: String) {
        #expect(NetworkEntry(NetworkEntry.link(NetworkLink(index: 1, name: name)).message) == nil)
    }

    @Test("only default routes of the main table that lead somewhere count")
    func otherRoutesAreSkipped() {
        let route = NetworkEntry.route(NetworkRoute(metric: 1, links: [2])).message
        // The length of the destination, the table, the type and the second byte of the flags.
        for (offset, value) in [(1, 24), (4, 255), (7, 7), (9, 2), (0, 7)] as [(Int, UInt8)] {
            var changed = route
            changed.payload[changed.payload.startIndex + offset] = value
            #expect(NetworkEntry(changed) == nil)
        }
    }

    @Test("a notification that repeats an entry changes nothing, and a removal may") func repetitionIsNoChange() {
        let tables = NetworkRuleTests.tables(Self.entries)
        for entry in Self.entries {
            var message = entry.message
            #expect(!tables.differ(after: message))
            message.type += 1
            #expect(tables.differ(after: message))
        }
        #expect(tables.differ(after: NetworkEntry.link(NetworkLink(index: 9, name: "new")).message))
    }

    @Test(
        arguments: [
            ([0, 0, 0, 0, 0, 0, 0, 0], "::"), ([0, 0, 0, 0, 0, 0, 0, 1], "::1"), ([1, 0, 0, 0, 0, 0, 0, 0], "1::"),
            ([0x2001, 0xDB8, 0, 0, 1, 0, 0, 1], "2001:db8::1:0:0:1"),
            ([0x2001, 0xDB8, 0, 1, 1, 1, 1, 1], "2001:db8:0:1:1:1:1:1"),
            ([0x2001, 0, 0, 1, 0, 0, 0, 1], "2001:0:0:1::1"),
            ([1, 2, 3, 4, 5, 6, 7, 0xABCD], "1:2:3:4:5:6:7:abcd"),
        ] as [([UInt16], String)])
    func addressesHaveTheCanonicalForm(groups: [UInt16], text: String) {
        let bytes = groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(IPAddress(family: IPAddress.Family.version6, bytes)?.description == text)
    }

    @Test func addressOfAnotherLengthIsRefused() {
        #expect(IPAddress(family: IPAddress.Family.version4, [1, 2, 3]) == nil)
        #expect(IPAddress(family: IPAddress.Family.version6, [1, 2, 3, 4]) == nil)
        #expect(IPAddress(family: 1, [1, 2, 3, 4]) == nil)
    }
}
