// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// A user with one program, which has a connection for its subscription and another for calls.
final class HonestUser {
    let credentials: UnixStream.Peer
    let client: SimulatedClient
    /// The connection for calls, or `nil` before the first call.
    var control: SimulatedPeer?

    init(
        _ uid: UInt32, isDisturbed: Bool, names: AspectSet, policies: [Aspect: Policy], ledger: NameLedger
    ) {
        // A process ID that no real process has.
        credentials = UnixStream.Peer(pid: 1 << 24 + Int32(truncatingIfNeeded: uid & 0xFFFF), uid: uid)
        client = SimulatedClient(
            "user \(uid)", isDisturbed: isDisturbed, names: names, policies: policies, ledger: ledger)
    }

    func busDied() throws(Broken) {
        try client.busDied()
        control = nil
    }

    /// Closes all connections, as when the process dies.
    func die() {
        client.disconnect()
        control?.close()
        control = nil
    }
}
