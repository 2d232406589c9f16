// SPDX-License-Identifier: Apache-2.0

/// A default route, as rtnetlink(7) describes it.
package struct NetworkRoute: Sendable, Hashable {
    private enum Attribute {
        static let link: UInt16 = 4
        static let metric: UInt16 = 6
        static let hops: UInt16 = 9
        static let table: UInt16 = 15
    }

    /// The routing table that programs use unless rules say otherwise (RT_TABLE_MAIN).
    private static let mainTable: UInt32 = 254
    /// The type of a route that leads to a gateway or a link (RTN_UNICAST).
    private static let unicast: UInt8 = 1
    /// The flag of a route that is only cached for one destination (RTM_F_CLONED).
    private static let cached: UInt32 = 0x200
    private static let headerSize = 12
    private static let hopHeaderSize = 8

    package var family: UInt8
    /// The priority; the route with the lowest is used.
    package var metric: UInt32
    /// The numbers of the links that the route uses.
    package var links: [UInt32]

    /// Creates a default route of the main table.
    package init(family: UInt8 = IPAddress.Family.version4, metric: UInt32, links: [UInt32]) {
        self.family = family
        self.metric = metric
        self.links = links
    }

    /// Parses the payload of a message; `nil` if it is incomplete, or not a default route of the main table.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.headerSize, let flags: UInt32 = bytes.integer(at: 8) else { return nil }
        let head = Array(bytes.prefix(8))
        let (family, destinationLength, type) = (head[0], head[1], head[7])
        guard [IPAddress.Family.version4, IPAddress.Family.version6].contains(family), destinationLength == 0,
            type == Self.unicast, flags & Self.cached == 0
        else { return nil }
        self.init(family: family, metric: 0, links: [])
        var table = UInt32(head[4])
        for attribute in NetlinkAttribute.attributes(in: bytes.dropFirst(Self.headerSize)) {
            switch attribute.type {
            case Attribute.table: table = attribute.value.integer(at: 0) ?? table
            case Attribute.metric: metric = attribute.value.integer(at: 0) ?? metric
            case Attribute.link: links += [attribute.value.integer(at: 0)].compactMap { $0 }
            case Attribute.hops: links += Self.links(ofHops: attribute.value)
            default: break
            }
        }
        guard table == Self.mainTable else { return nil }
    }

    /// The links of the gateways of one route.
    private static func links(ofHops bytes: ArraySlice<UInt8>) -> [UInt32] {
        var links: [UInt32] = []
        var rest = bytes
        while let length: UInt16 = rest.integer(at: 0), hopHeaderSize <= length, length <= rest.count,
            let link: UInt32 = rest.integer(at: 4)
        {
            links.append(link)
            rest = rest.dropFirst(NetlinkAttribute.aligned(Int(length)))
        }
        return links
    }

    var bytes: [UInt8] {
        let head: [UInt8] = [family, 0, 0, 0, UInt8(Self.mainTable), 0, 0, Self.unicast, 0, 0, 0, 0]
        let hops = links.flatMap { link -> [UInt8] in
            var bytes: [UInt8] = []
            bytes.append(native: UInt16(Self.hopHeaderSize))
            bytes.append(native: UInt16(0))
            return bytes + link.nativeBytes
        }
        return head + NetlinkAttribute.bytes(Attribute.metric, metric.nativeBytes)
            + NetlinkAttribute.bytes(Attribute.hops, hops)
    }
}
