// SPDX-License-Identifier: Apache-2.0

/// A network interface, as rtnetlink(7) describes it.
package struct NetworkLink: Sendable, Hashable {
    /// The operational states of RFC 2863 that the rule distinguishes, by their numbers (IF_OPER_*).
    package enum State: UInt8, Sendable {
        /// The driver does not report a state.
        case unknown = 0
        /// Every other state.
        case down = 2
        /// The link waits for an external event, such as the login of 802.1X.
        case dormant = 5
        case up = 6
    }

    /// The hardware types of if_arp.h that the rule distinguishes.
    package enum Hardware {
        package static let ethernet: UInt16 = 1
        package static let rawIP: UInt16 = 519
        package static let wireless: ClosedRange<UInt16> = 801...803
    }

    private enum Flag {
        static let up: UInt32 = 1
        static let loopback: UInt32 = 8
        static let carrier: UInt32 = 0x10000
    }

    private enum Attribute {
        static let name: UInt16 = 3
        static let state: UInt16 = 16
        static let information: UInt16 = 18
        static let driver: UInt16 = 1
        static let carrier: UInt16 = 33
    }

    private static let headerSize = 16
    /// The longest name in bytes (IFNAMSIZ, without the NUL byte).
    private static let nameLimit = 15

    package var index: UInt32
    package var name: String
    /// The hardware type (ARPHRD_*).
    package var hardware: UInt16
    /// Whether an administrator or a program has enabled it.
    package var isEnabled: Bool
    /// Whether it leads back to this machine.
    package var isLoopback: Bool
    /// Whether the driver reports a carrier.
    package var hasCarrier: Bool
    package var state: State
    /// The name of a virtual interface's driver, such as `bridge`.
    package var driver: String?

    /// Creates an Ethernet interface that is up.
    package init(index: UInt32, name: String) {
        self.index = index
        self.name = name
        hardware = Hardware.ethernet
        isEnabled = true
        isLoopback = false
        hasCarrier = true
        state = .up
    }

    /// Parses the payload of a message; `nil` if it is incomplete, of a bridge's port, or has an impossible name.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.first == 0, let hardware: UInt16 = bytes.integer(at: 2), let index: UInt32 = bytes.integer(at: 4),
            let flags: UInt32 = bytes.integer(at: 8), bytes.count >= Self.headerSize
        else { return nil }
        self.init(index: index, name: "")
        self.hardware = hardware
        isEnabled = flags & Flag.up != 0
        isLoopback = flags & Flag.loopback != 0
        hasCarrier = flags & Flag.carrier != 0
        state = .unknown
        for attribute in NetlinkAttribute.attributes(in: bytes.dropFirst(Self.headerSize)) { take(attribute) }
        // The name is part of paths in sysfs.
        guard 1...Self.nameLimit ~= name.utf8.count, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/"))
        else { return nil }
    }

    private mutating func take(_ attribute: NetlinkAttribute) {
        switch attribute.type {
        case Attribute.name: name = attribute.text
        case Attribute.state: state = State(rawValue: attribute.value.first ?? 0) ?? .down
        case Attribute.carrier: hasCarrier = attribute.value.first.map { $0 != 0 } ?? hasCarrier
        case Attribute.information:
            driver = NetlinkAttribute.attributes(in: attribute.value).first { $0.type == Attribute.driver }?.text
        default: break
        }
    }

    var bytes: [UInt8] {
        let flags = (isEnabled ? Flag.up : 0) | (isLoopback ? Flag.loopback : 0) | (hasCarrier ? Flag.carrier : 0)
        var bytes: [UInt8] = [0, 0]
        bytes.append(native: hardware)
        for number in [index, flags, 0] { bytes.append(native: number) }
        bytes += NetlinkAttribute.bytes(Attribute.name, Array(name.utf8) + [0])
        bytes += NetlinkAttribute.bytes(Attribute.state, [state.rawValue])
        bytes += NetlinkAttribute.bytes(Attribute.carrier, [hasCarrier ? 1 : 0])
        guard let driver else { return bytes }
        let kind = NetlinkAttribute.bytes(Attribute.driver, Array(driver.utf8) + [0])
        return bytes + NetlinkAttribute.bytes(Attribute.information, kind)
    }
}
