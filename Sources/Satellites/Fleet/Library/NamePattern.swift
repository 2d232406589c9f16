// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleFleetCore

/// A name, or a pattern in which `*` stands for any characters, such as `shop-*`.
package struct NamePattern: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Creates a pattern for devices; the error says why no device can have such a name.
    package init(devices text: String) throws(FleetError) {
        // Users of MQTT may write its wildcard.
        let text = text == "+" ? "*" : text
        let pattern = NamePattern(text)
        // A star can stand for a letter: with a letter for each star, the text must be a name.
        _ = try pattern.isExact ? DeviceID(text) : DeviceID(text.replacingStars)
        self = pattern
    }

    package init(aspects text: String) throws(FleetError) {
        guard FleetTopic.isAspect(text.replacingStars) else {
            throw FleetError(
                .invalidName, "the aspect '\(text.escaped)': must be a name such as battery or org.example.*")
        }
        self = NamePattern(text)
    }

    private init(_ text: String) {
        description = text
    }

    package var isExact: Bool { !description.utf8.contains(UInt8(ascii: "*")) }

    package func matches(_ name: String) -> Bool { fnmatch(description, name, 0) == 0 }
}

extension String {
    /// The text with a letter for each star.
    fileprivate var replacingStars: String { String(map { $0 == "*" ? "x" : $0 }) }
}
