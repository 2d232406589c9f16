// SPDX-License-Identifier: Apache-2.0

/// The kind of a device, as in machine-info(5).
@nonexhaustive public enum Chassis: String, Sendable, Hashable, CaseIterable {
    /// A desktop computer.
    case desktop
    /// A laptop computer.
    case laptop
    /// A laptop computer that is also a tablet.
    case convertible
    /// A server.
    case server
    /// A tablet.
    case tablet
    /// A phone or another device for one hand.
    case handset
    /// A watch.
    case watch
    /// A computer that is part of another device.
    case embedded
    /// A virtual machine.
    case vm
    /// A container.
    case container

    /// Creates the kind with a number of the firmware (SMBIOS specification, 7.4.1); `nil` for an ambiguous number.
    init?(firmwareType: Int) {
        switch firmwareType {
        case 0x03, 0x04, 0x06, 0x07, 0x0D, 0x23, 0x24: self = .desktop
        case 0x08, 0x09, 0x0A, 0x0E: self = .laptop
        case 0x0B: self = .handset
        case 0x11, 0x1C, 0x1D: self = .server
        case 0x1E: self = .tablet
        case 0x1F, 0x20: self = .convertible
        case 0x21, 0x22: self = .embedded
        default: return nil
        }
    }
}

extension Chassis: CustomStringConvertible {
    /// The word of machine-info(5).
    public var description: String { rawValue }
}
