// SPDX-License-Identifier: Apache-2.0

import Reveille

extension Device {
    /// Changes the state of a subscription as an operator, and returns the new state.
    func carryOut(_ change: TopChange) async throws -> String {
        let (id, name) = (change.subscription, change.name)
        switch change.state {
        case .background:
            try await hold(id)
            return "\(name) is in the background"
        case .suspended:
            // A cgroup is frozen only if none of its subscriptions is in the foreground.
            for other in try await subscribers().program(of: id) where other.id != id { try await hold(other.id) }
            try await suspend(id)
            return "\(name) is suspended"
        case .foreground:
            let program = try await subscribers().program(of: id)
            let isFrozen = program.contains { $0.id == id && $0.holds.contains(.frozen) }
            for one in program where isFrozen || one.id == id { try await release(one.id) }
            let holds = try await subscribers().first { $0.id == id }?.holds
            return switch holds {
            case nil: "\(name) has ended"
            case .some(let holds) where holds.contains(.app):
                "\(name) remains in the background: held by its own process (app)"
            case .some(let holds) where holds.contains(.frozen): "\(name) is still frozen"
            default: "\(name) is in the foreground"
            }
        }
    }
}
