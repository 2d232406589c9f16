// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

/// A permission to publish on a system bus: an element of the configuration's `publish.allow`.
package struct PublishPermission: Sendable, Hashable {
    /// A name, or the pattern of some names.
    private let names: Aspect
    private let users: [ConfiguredUser]

    init(_ section: ConfigurationSection) throws(ConfigurationError) {
        let names = try section.text("names", "a published name or a pattern") { text in
            Aspect(text).flatMap { $0.builtIn == nil ? $0 : nil }
        }
        self.names = try section.required("names", names)
        users = try section.required("users", try ConfiguredUser.list("users", of: section))
    }

    func allows(_ user: UInt32, toPublish name: Aspect) -> Bool {
        (names == name || names.matches(name)) && concerns(user)
    }

    /// Returns whether the permission allows a user to publish any name.
    func concerns(_ user: UInt32) -> Bool {
        users.contains(user)
    }

    var json: JSON { ["names": .string(names.name), "users": .array(users.map(\.json))] }
}
