// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleFleetCore

/// A name, or a pattern in which `*` stands for any characters, such as `shop-*`.
package struct NamePattern: Sendable, Hashable, CustomStringConvertible {
    private static let star = UInt8(ascii: "*")

    /// The name or the pattern.
    package let description: String
    private let bytes: [UInt8]

    /// Creates a pattern for devices.
    ///
    /// - Throws: `FleetError` with `FleetError.Code.invalidName` if no device can have such a name.
    package init(devices text: String) throws(FleetError) {
        // The wildcard of MQTT is a habit of its users.
        let text = text == "+" ? "*" : text
        let pattern = NamePattern(text)
        // A star stands for a letter too: what remains must be a name.
        _ = try pattern.isExact ? DeviceID(text) : DeviceID(text.replacingStars)
        self = pattern
    }

    /// Creates a pattern for aspects and published names.
    ///
    /// - Throws: `FleetError` with `FleetError.Code.invalidName` if no aspect can have such a name.
    package init(aspects text: String) throws(FleetError) {
        guard FleetTopic.isAspect(text.replacingStars) else {
            throw FleetError(
                .invalidName, "the aspect '\(text.escaped)': must be a name such as battery or org.example.*")
        }
        self = NamePattern(text)
    }

    private init(_ text: String) {
        description = text
        bytes = Array(text.utf8)
    }

    /// Whether it is a name, and not a pattern.
    package var isExact: Bool { !bytes.contains(Self.star) }

    /// Returns whether a name matches.
    package func matches(_ name: String) -> Bool {
        let name = name.utf8
        var (index, place) = (0, name.startIndex)
        // Where the last star was, and the end of what it stands for.
        var retry: (index: Int, place: String.UTF8View.Index)?
        while place < name.endIndex {
            if index < bytes.count, bytes[index] == Self.star {
                retry = (index, place)
                index += 1
            } else if index < bytes.count, bytes[index] == name[place] {
                index += 1
                place = name.index(after: place)
            } else if let last = retry {
                let next = name.index(after: last.place)
                retry = (last.index, next)
                (index, place) = (last.index + 1, next)
            } else {
                return false
            }
        }
        return bytes[index...].allSatisfy { $0 == Self.star }
    }
}

extension String {
    /// The text with a letter for each star.
    fileprivate var replacingStars: String { String(map { $0 == "*" ? "x" : $0 }) }
}
