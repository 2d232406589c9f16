// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleService
import ReveilleSystem

/// Who lives beside a bus.
struct People {
    /// Users to whom nothing is allowed but what is their own.
    let strangers: [UInt32]
    /// Root and the bus's own user are hostile too.
    let hasHostileRoot: Bool
    /// Users of whom each has one honest client.
    let honest: [UInt32]

    init(hasHostileRoot: Bool) {
        self.hasHostileRoot = hasHostileRoot
        // The bus takes its own user for a friend, whoever runs this.
        let own = geteuid()
        strangers = [own + 1, own + 2]
        honest = [own + 11, own + 12]
    }

    /// The users who do as they please.
    var hostile: [UInt32] { hasHostileRoot ? strangers + [0, geteuid()] : strangers }

    /// The users that may post, and hold everybody.
    static var powerful: Set<UInt32> { [0, geteuid()] }

    /// Connections that one user may have here: few, so that they run out soon.
    static let connectionsPerUser = 4
    /// Connections that hostile roots have at most; no limit of the bus's keeps them from taking all.
    static let rootConnections = 8

    /// Limits under which there is room for everybody who keeps to their own.
    func limits(history: Int, maxFrame: Int) -> Configuration.Bus {
        var limits = Configuration().bus
        limits.history = history
        limits.maxFrame = maxFrame
        limits.connectionsPerUser = Self.connectionsPerUser
        limits.connections = Self.connectionsPerUser * (strangers.count + honest.count) + Self.rootConnections + 1
        return limits
    }

    /// Process ids that no process has (PID_MAX_LIMIT is 2^22), and that of processes that the bus cannot see.
    static let processes: [Int32] = [1 << 23, 1 << 23 + 1, 0]
}
