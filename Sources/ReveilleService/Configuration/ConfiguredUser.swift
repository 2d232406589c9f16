// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import Varlink

/// A user, whom a configuration identifies by name or number.
package struct ConfiguredUser: Sendable, Hashable {
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

    static func list(_ name: String, of section: ConfigurationSection) throws(ConfigurationError) -> [ConfiguredUser]? {
        try section.list(name, "a list of users") { value throws(ConfigurationError) in
            do throws(SystemError) {
                if let user = try ConfiguredUser(value) { return user }
            } catch {
                throw section.refusing(name, because: "\(error)")
            }
            throw section.wrong(name, "a user of this system", value)
        }
    }

    var json: JSON { name.map { .string($0) } ?? .integer(Int64(number)) }
}

extension [ConfiguredUser] {
    func contains(_ user: UInt32) -> Bool { contains { $0.number == user } }
}
