// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

/// The users who may make changes that concern all users, and those who may publish.
struct Permissions {
    let owner: UInt32
    /// Whether this is a system bus, which serves all users, rather than one user's bus.
    let isSystemWide: Bool

    init(owner: UInt32, isSystemWide: Bool) {
        self.owner = owner
        self.isSystemWide = isSystemWide || owner == 0
    }

    /// Returns whether a user may make changes that concern all users, as the bus's own user and root may.
    func isOwner(_ user: UInt32) -> Bool { user == owner || user == 0 }

    /// Returns whether a user need not share the connections of this bus, as the owner of a user's bus.
    func hasAllConnections(_ user: UInt32) -> Bool { !isSystemWide && user == owner }

    func check(
        _ value: PublishedValue, after former: Publisher?, by user: UInt32, in configuration: Configuration
    ) throws(CallError) {
        guard isOwner(user) || isAllowed(user, toPublish: value.name, configuration) else { throw .permissionDenied }
        guard isSystemWide, let former, former.user != user else { return }
        // Root can withdraw every state, but cannot replace a state by mistake.
        guard user == 0, value.bytes == nil else { throw .permissionDenied }
    }

    /// Returns whether the configuration allows a user to publish a name on a system bus, which serves all users.
    private func isAllowed(_ user: UInt32, toPublish name: Aspect, _ configuration: Configuration) -> Bool {
        guard isSystemWide else { return false }
        return configuration.publish.allow.contains { $0.allows(user, toPublish: name) }
            // The entry that the user's bus adds; see `SystemWake`.
            || configuration.schedule.wake.contains(user) && name.name == WakeHandover.name(of: user)
    }

    /// Returns whether the entries of a user may wake the machine.
    func mayWake(_ user: UInt32, in configuration: Configuration) -> Bool {
        isOwner(user) || isSystemWide && configuration.schedule.wake.contains(user)
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
