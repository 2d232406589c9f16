// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleWire
import Varlink

extension Configuration {
    /// Limits on the names that programs publish, and permissions.
    package struct Publish: Sendable {
        /// The number of names that one user, including root, may publish at a time: dozens for each of its programs.
        package var names = 1_024
        /// The maximum length of a value in bytes: a state is short, and anything longer is a document.
        package var valueSize = 4_096
        /// The users other than root that may publish on a system bus.
        package var allow: [PublishPermission] = []

        /// The range of ``names``, which takes some hundred megabytes at its end.
        static let nameRange = 1...65_536
        /// The range of ``valueSize``, from an object without members to the longest value that clients send.
        static let valueSizeRange = 2...PublishedValue.sizeLimit

        /// Reads the section of a bus with a maximum length of calls, which have to have room for the values.
        mutating func read(_ section: ConfigurationSection, maxFrame: Int) throws(ConfigurationError) {
            try section.integer("names", in: Self.nameRange, into: &names)
            let longest = min(Self.valueSizeRange.upperBound, maxFrame - PublishedValue.callMargin)
            try section.integer(
                "valueSize", in: Self.valueSizeRange.lowerBound...longest,
                because: "a call has at most \(min(maxFrame, Limits.frame)) bytes (bus.maxFrame)", into: &valueSize)
            let permissions = try section.sections("allow", "a list of permissions") {
                element throws(ConfigurationError) in try PublishPermission(element)
            }
            allow = permissions ?? []
        }

        var json: JSON {
            [
                "names": .integer(Int64(names)), "valueSize": .integer(Int64(valueSize)),
                "allow": .array(allow.map(\.json)),
            ]
        }
    }
}
