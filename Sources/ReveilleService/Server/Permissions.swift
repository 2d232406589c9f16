// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

/// Who may change what concerns all users, and who may publish.
struct Permissions {
    let owner: UInt32
    /// Whether this is a system bus, which serves all users, rather than one user's bus.
    let isSystemWide: Bool

    init(owner: UInt32, isSystemWide: Bool) {
        self.owner = owner
        self.isSystemWide = isSystemWide || owner == 0
    }

    /// Returns whether a user may change what concerns all users, as the bus's own user and root may.
    func isOwner(_ user: UInt32) -> Bool { user == owner || user == 0 }

    func check(
        _ value: PublishedValue, after former: Publisher?, by user: UInt32, allowing rules: [PublishPermission]
    ) throws(CallError) {
        // A system bus serves all users; a user's bus serves this user and root alike.
        let isAllowed = isSystemWide && rules.contains { $0.allows(user, toPublish: value.name) }
        guard isOwner(user) || isAllowed else { throw .permissionDenied }
        guard isSystemWide, let former, former.user != user else { return }
        // Root can withdraw every state, but cannot replace a state by mistake.
        guard user == 0, value.bytes == nil else { throw .permissionDenied }
    }

    func mayPublish(_ user: UInt32, allowing rules: [PublishPermission]) -> CapabilityAnswer {
        if isOwner(user) { return .yes }
        guard isSystemWide else {
            return .no("permission denied: only root and uid \(owner) can publish on this bus, which is that user's")
        }
        return rules.contains { $0.concerns(user) }
            ? .yes : .no("permission denied: publish.allow grants uid \(user) no name")
    }
}
