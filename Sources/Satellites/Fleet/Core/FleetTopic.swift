// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A topic of the protocol, below `reveille/v1/`.
package enum FleetTopic: Sendable, Hashable {
    /// `DEVICE/status`: whether a device is connected.
    case status(DeviceID)
    /// `DEVICE/state/ASPECT`: a state of a device.
    case state(DeviceID, String)
    /// `DEVICE/desired/NAME`: a value that one device publishes on its own bus.
    case desired(DeviceID, String)
    /// `group/GROUP/desired/NAME`: a value that all devices of a group publish.
    case groupDesired(String, String)
    /// `reader/READER/mark`: a message of a reader to itself. When it arrives, all earlier messages of the broker have
    /// arrived.
    case mark(String)

    /// The root of all topics; the version changes with an incompatible protocol only.
    package static let root = "reveille/v1"

    /// The largest payload in bytes: more than a status with the longest names, which takes 400 KB.
    package static let payloadLimit = 1_000_000

    package init(_ text: String) throws(FleetError) {
        let levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        func refuse(_ reason: String) -> FleetError {
            FleetError(.invalidName, "the topic '\(text.escaped)' \(reason)")
        }
        guard text.hasPrefix(Self.root + "/"), levels.count >= 4 else { throw refuse("is not below \(Self.root)/") }
        let words = levels.dropFirst(2).map { String(Substring($0)) }
        switch (words[0], words.count) {
        case ("group", 4) where words[2] == "desired" && DeviceID.isName(words[1].utf8) && Self.isAspect(words[3]):
            self = .groupDesired(words[1], words[3])
        case ("reader", 3) where words[2] == "mark" && DeviceID.isName(words[1].utf8): self = .mark(words[1])
        case (_, 2) where words[1] == "status": self = .status(try DeviceID(words[0]))
        case (_, 3) where words[1] == "state" && Self.isAspect(words[2]):
            self = .state(try DeviceID(words[0]), words[2])
        case (_, 3) where words[1] == "desired" && Self.isAspect(words[2]):
            self = .desired(try DeviceID(words[0]), words[2])
        default: throw refuse("is not one of the protocol")
        }
    }

    package var text: String {
        switch self {
        case .status(let device): "\(Self.root)/\(device)/status"
        case .state(let device, let aspect): "\(Self.root)/\(device)/state/\(aspect)"
        case .desired(let device, let name): "\(Self.root)/\(device)/desired/\(name)"
        case .groupDesired(let group, let name): "\(Self.root)/group/\(group)/desired/\(name)"
        case .mark(let reader): "\(Self.root)/reader/\(reader)/mark"
        }
    }

    package static func isAspect(_ text: String) -> Bool {
        let words = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= NameRule.lengthLimit
            && words.allSatisfy { !$0.isEmpty && $0.allSatisfy(NameRule.isAllowed) }
    }
}
