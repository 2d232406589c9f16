// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
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
        let users = try section.list("users", "a list of users") { value throws(ConfigurationError) in
            do throws(SystemError) {
                if let user = try ConfiguredUser(value) { return user }
            } catch {
                throw section.refusing("users", because: "\(error)")
            }
            throw section.wrong("users", "a user of this system", value)
        }
        self.users = try section.required("users", users)
    }

    func allows(_ user: UInt32, toPublish name: Aspect) -> Bool {
        (names == name || names.matches(name)) && concerns(user)
    }

    /// Returns whether the permission allows a user to publish any name.
    func concerns(_ user: UInt32) -> Bool {
        users.contains { $0.number == user }
    }

    var json: JSON { ["names": .string(names.name), "users": .array(users.map(\.json))] }
}

/// A user, whom a configuration identifies by name or number.
private struct ConfiguredUser: Sendable, Hashable {
    /// The largest number of a user; in system calls, the next number stands for no user.
    private static let largestNumber = UInt32.max - 1

    let number: UInt32
    private let name: String?

    /// Reads a user; `nil` for a value that identifies none.
    init?(_ value: SettingsValue) throws(SystemError) {
        switch value {
        case .integer(let integer):
            guard let number = UInt32(exactly: integer), number <= Self.largestNumber else { return nil }
            self.number = number
            name = nil
        case .string(let name):
            guard !name.isEmpty, !name.utf8.contains(0), let number = try UserDatabase.number(of: name) else {
                return nil
            }
            self.number = number
            self.name = name
        default: return nil
        }
    }

    var json: JSON { name.map { .string($0) } ?? .integer(Int64(number)) }
}
