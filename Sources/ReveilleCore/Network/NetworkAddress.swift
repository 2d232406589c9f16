// SPDX-License-Identifier: Apache-2.0

/// An address of a network interface, as rtnetlink(7) describes it.
package struct NetworkAddress: Sendable, Hashable {
    private enum Flag {
        /// Of IPv6 only; for IPv4, the same bit marks a second address of a network.
        static let temporary: UInt32 = 0x01
        static let duplicate: UInt32 = 0x08
        static let deprecated: UInt32 = 0x20
        static let tentative: UInt32 = 0x40
    }

    private enum Attribute {
        static let address: UInt16 = 1
        static let local: UInt16 = 2
        static let flags: UInt16 = 8
    }

    private static let headerSize = 8

    package var link: UInt32
    package var address: IPAddress
    /// Where the address is valid (RT_SCOPE_*); 0 for everywhere.
    package var scope: UInt8
    /// The flags (IFA_F_*).
    package var flags: UInt32

    /// Creates a permanent address.
    package init(link: UInt32, address: IPAddress, scope: UInt8 = 0, flags: UInt32 = 0) {
        self.link = link
        self.address = address
        self.scope = scope
        self.flags = flags
    }

    /// Parses the payload of a message; `nil` if it is incomplete or of another family.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let head: UInt32 = bytes.integer(at: 0), let link: UInt32 = bytes.integer(at: 4) else { return nil }
        let fields = head.nativeBytes
        self.link = link
        flags = UInt32(fields[2])
        scope = fields[3]
        var found: IPAddress?
        var local: IPAddress?
        for attribute in NetlinkAttribute.attributes(in: bytes.dropFirst(Self.headerSize)) {
            switch attribute.type {
            case Attribute.address: found = IPAddress(family: fields[0], attribute.value)
            // On a link between two peers, the other attribute is the address of the peer.
            case Attribute.local: local = IPAddress(family: fields[0], attribute.value)
            case Attribute.flags: flags = attribute.value.integer(at: 0) ?? flags
            default: break
            }
        }
        guard let address = local ?? found else { return nil }
        self.address = address
    }

    /// Whether peers in other networks can use the address for a long time.
    ///
    /// Temporary addresses of IPv6 are replaced daily, although nothing changes for a program, and each belongs to a
    /// permanent address. Deprecated and tentative addresses are not used for new connections.
    package var isLasting: Bool {
        let passing = Flag.deprecated | Flag.tentative | Flag.duplicate
        let isTemporary = address.isVersion6 && flags & Flag.temporary != 0
        return scope == 0 && !address.isLinkLocal && flags & passing == 0 && !isTemporary
    }

    var bytes: [UInt8] {
        let length = UInt8(address.bytes.count * 8)
        return [address.family, length, UInt8(truncatingIfNeeded: flags), scope] + link.nativeBytes
            + NetlinkAttribute.bytes(Attribute.address, address.bytes)
            + NetlinkAttribute.bytes(Attribute.flags, flags.nativeBytes)
    }
}
