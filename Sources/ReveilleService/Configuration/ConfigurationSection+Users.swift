// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

extension ConfigurationSection {
    /// Reads a list of users, each by its name or number.
    func users(_ name: String) throws(ConfigurationError) -> [ConfiguredUser]? {
        try list(name, "a list of users") { value throws(ConfigurationError) in
            do throws(SystemError) {
                if let user = try ConfiguredUser(value) { return user }
            } catch {
                throw ConfigurationError(key: key(name), reason: "\(error)")
            }
            throw wrong(name, "a user of this system", value)
        }
    }
}
