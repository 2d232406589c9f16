// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The identity of a device in a fleet: a level of its topics, its client identifier, and the name in its certificate.
package struct DeviceID: Sendable, Hashable {
    /// The longest identity in bytes, as for a common name in a certificate (RFC 5280, ub-common-name).
    package static let lengthLimit = 64
    /// Levels of topics that are not devices.
    private static let reserved: Set<String> = ["group", "reader"]

    /// The identity as text.
    package let text: String

    /// Creates an identity from text.
    ///
    /// - Parameter text: 1 to 64 letters, digits, `-`, `_` and `.`, other than `group` and `reader`.
    /// - Throws: ``FleetError``: ``FleetError/Code/invalidName``, with the reason.
    package init(_ text: String) throws(FleetError) {
        guard !Self.reserved.contains(text) else {
            throw FleetError(.invalidName, "the device '\(text)': the name is reserved for topics")
        }
        guard Self.isName(text.utf8) else {
            throw FleetError(
                .invalidName,
                "the device '\(text.escaped)': must be 1 to \(Self.lengthLimit) letters, digits, '-', '_' and '.'")
        }
        self.text = text
    }

    /// Returns whether a level of a topic can be a device, a group or a reader.
    static func isName(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.count <= lengthLimit
            && text.allSatisfy { NameRule.isAllowed($0) || $0 == UInt8(ascii: ".") }
    }
}

extension DeviceID: Comparable, CustomStringConvertible {
    /// Orders identities by their bytes.
    package static func < (one: Self, other: Self) -> Bool { one.text.utf8.lexicographicallyPrecedes(other.text.utf8) }

    /// The identity as text.
    package var description: String { text }
}

extension DeviceID {
    /// Returns the rule that lets a device use a topic or filter, in mosquitto's syntax, as in the example of the rules.
    ///
    /// The name of the device is its user on the broker.
    package func rule(for topic: String) -> String {
        let own = "\(FleetTopic.root)/\(self)/"
        let announcement = "/device/reveille/\(self)/config"
        let user = "\(FleetTopic.root)/%u/"
        return if topic.hasPrefix(own + "state/") {
            "pattern write \(user)state/+"
        } else if topic == own + "status" {
            "pattern readwrite \(user)status"
        } else if topic.hasPrefix(own + "desired/") {
            "pattern read \(user)desired/+"
        } else if topic.hasPrefix("\(FleetTopic.root)/group/") {
            "pattern read \(FleetTopic.root)/group/+/desired/+"
        } else if topic.hasSuffix("/status") {
            // Home Assistant announces its start.
            "pattern read \(topic)"
        } else if topic.hasSuffix(announcement) {
            "pattern write \(topic.dropLast(announcement.count))/device/reveille/%u/config"
        } else {
            // Home Assistant's identifiers cannot contain such a name unescaped.
            "user \(self)' and 'topic write \(topic)"
        }
    }
}
