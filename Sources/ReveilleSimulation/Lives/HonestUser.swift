// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// A user with one program: a subscription, and a connection for its calls.
final class HonestUser {
    let credentials: UnixStream.Peer
    let client: SimulatedClient
    /// For its calls; `nil` until it has made one.
    var control: SimulatedPeer?

    init(_ uid: UInt32, isDisturbed: Bool) {
        // A process of its own that no process is.
        credentials = UnixStream.Peer(pid: 1 << 24 + Int32(truncatingIfNeeded: uid & 0xFFFF), uid: uid)
        client = SimulatedClient("user \(uid)", isDisturbed: isDisturbed)
    }

    func busDied() throws(Broken) {
        try client.busDied()
        control = nil
    }

    /// Its process dies.
    func die() {
        client.disconnect()
        control?.close()
        control = nil
    }
}
