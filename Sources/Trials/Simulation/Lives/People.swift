// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleService
import ReveilleSystem

/// The users of a simulated bus.
struct People {
    /// Users without privileges.
    let strangers: [UInt32]
    /// Whether root and the bus's own user are hostile as well.
    let hasHostileRoot: Bool
    /// Users that have one honest client each.
    let honest: [UInt32]

    init(hasHostileRoot: Bool) {
        self.hasHostileRoot = hasHostileRoot
        // The bus trusts its own user, which is the user that runs the simulation.
        let own = geteuid()
        strangers = [own + 1, own + 2]
        honest = [own + 11, own + 12]
    }

    /// Users that may do anything.
    var hostile: [UInt32] { hasHostileRoot ? strangers + [0, geteuid()] : strangers }

    /// Users that may post readings and hold every subscription.
    static var powerful: Set<UInt32> { [0, geteuid()] }

    /// The credentials of the honest publisher, with a process ID that no process has.
    static var publisher: UnixStream.Peer { UnixStream.Peer(pid: 1 << 24 - 1, uid: geteuid()) }

    /// The limit of connections per user, low enough to be reached often.
    static let connectionsPerUser = 4
    /// The number of connections of hostile roots, which are not subject to the bus's limit.
    static let rootConnections = 8

    /// Returns a configuration whose limits leave enough connections for every honest user.
    func configuration(history: Int, maxFrame: Int) -> Configuration {
        var configuration = Configuration()
        configuration.bus.history = history
        configuration.bus.maxFrame = maxFrame
        configuration.bus.connectionsPerUser = Self.connectionsPerUser
        configuration.bus.connections =
            Self.connectionsPerUser * (strangers.count + honest.count) + Self.rootConnections + 2
        configuration.lifecycle.tasks = Self.tasks
        return configuration
    }

    /// The limit of tasks per user, low enough to be reached with the connections above.
    private static let tasks = 2

    /// Process IDs that no process has (PID_MAX_LIMIT is 2^22), and the ID of processes invisible to the bus.
    static let processes: [Int32] = [1 << 23, 1 << 23 + 1, 0]
}

/// A user with one program, which has a connection for its subscription and another for calls.
final class HonestUser {
    let credentials: UnixStream.Peer
    let client: SimulatedClient
    /// The connection for calls, or `nil` before the first call.
    var control: SimulatedPeer?

    init(
        _ uid: UInt32, isDisturbed: Bool, names: AspectSet, policies: [Aspect: Policy], domains: DomainSelection?,
        ledger: NameLedger
    ) {
        // A process ID that no real process has.
        credentials = UnixStream.Peer(pid: 1 << 24 + Int32(truncatingIfNeeded: uid & 0xFFFF), uid: uid)
        client = SimulatedClient(
            "user \(uid)", isDisturbed: isDisturbed, names: names, policies: policies, domains: domains,
            ledger: ledger)
    }

    func busDied() throws(Broken) {
        try client.busDied()
        control = nil
    }

    func die() {
        client.disconnect()
        control?.close()
        control = nil
    }
}
