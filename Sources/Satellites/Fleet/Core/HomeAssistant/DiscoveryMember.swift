// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import Varlink

/// A member of the state of a published name that is a number, a text or a boolean, and so has a sensor of its own.
package struct DiscoveryMember: Sendable, Hashable {
    /// The most members of a name, the first in their order: a sensor takes hundreds of bytes in the message, and a member
    /// takes six.
    static let limit = 64

    let name: String
    let isNumber: Bool

    /// Returns the members of a state; a member that is `null` now keeps its former type.
    ///
    /// A member whose name has other characters than a published name has no sensor.
    package static func members(of value: JSONObject, before: [DiscoveryMember]) -> [DiscoveryMember] {
        let members = value.members.compactMap { member -> DiscoveryMember? in
            guard !member.name.isEmpty, member.name.utf8.allSatisfy(NameRule.isAllowed) else { return nil }
            return switch member.value {
            case .integer, .number: DiscoveryMember(name: member.name, isNumber: true)
            case .string, .bool: DiscoveryMember(name: member.name, isNumber: false)
            case .null: before.first { $0.name == member.name }
            default: nil
            }
        }
        return Array(members.prefix(limit))
    }
}
