// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// A user with one program: a subscription, and a connection for its calls.
final class HonestUser {
    let credentials: UnixStream.Peer
    let client: SimulatedClient
    /// For its calls; `nil` until it has made one.
    var control: SimulatedPeer?
    /// All connections that it has had of this bus.
    private var streams: [SimulatedStream] = []

    init(_ uid: UInt32, isDisturbed: Bool) {
        // A process of its own that no process is.
        credentials = UnixStream.Peer(pid: 1 << 24 + Int32(truncatingIfNeeded: uid & 0xFFFF), uid: uid)
        client = SimulatedClient("user \(uid)", isDisturbed: isDisturbed)
    }

    /// Whether the bus still counts too many of the connections that it let go of.
    var isCrowded: Bool {
        streams.removeAll { $0.isClosedByBus }
        return streams.count + 1 >= People.connectionsPerUser
    }

    func connect(_ stream: SimulatedStream, isBackground: Bool) {
        streams.append(stream)
        client.connect(stream, isBackground: isBackground)
    }

    func busDied() throws(Broken) {
        try client.busDied()
        control = nil
        streams = []
    }

    /// Its process dies.
    func die() {
        client.disconnect()
        control?.close()
        control = nil
    }
}
