// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import Varlink

/// A user, whom a configuration identifies by name or number.
struct ConfiguredUser: Sendable, Hashable {
    /// The largest number of a user; in system calls, the next one stands for no user.
    private static let largestNumber = UInt32.max - 1

    /// The number of the user.
    let number: UInt32
    private let name: String?

    /// Reads a user; `nil` for a value that identifies none.
    ///
    /// - Throws: `SystemError` if the user database cannot be read.
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

    /// The user in the form that is read.
    var json: JSON { name.map { .string($0) } ?? .integer(Int64(number)) }
}
