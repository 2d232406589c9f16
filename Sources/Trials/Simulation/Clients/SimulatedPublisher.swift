// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem
import ReveilleWire
package import Varlink

/// A program that publishes names, withdraws them and ends, and that records the states in a ledger.
package final class SimulatedPublisher {
    package let credentials: UnixStream.Peer
    /// The connection; `nil` before the first call and after the end.
    private var peer: SimulatedPeer?
    /// The instance of the bus, once the program knows it.
    var instance: String?
    private let ledger: NameLedger
    /// The number of the connection.
    private var tie: Int

    /// Creates a publisher without a connection; `number` is unique among the publishers of the ledger.
    package init(_ number: Int, _ credentials: UnixStream.Peer, ledger: NameLedger) {
        tie = number << 32
        self.credentials = credentials
        self.ledger = ledger
    }

    /// Returns the connection, and opens one if there is none.
    package func connected(_ open: (UnixStream.Peer) -> SimulatedStream) -> SimulatedPeer {
        if let peer { return peer }
        tie += 1
        let peer = SimulatedPeer(open(credentials))
        self.peer = peer
        return peer
    }

    /// Returns a value, one of two representations of it; `nil` for a withdrawal.
    package static func value(_ number: Int, isOther: Bool) -> JSON {
        let other: JSON = ["other": [true], "number": .number(Double(number))]
        return number == 0 ? .null : isOther ? other : ["number": .integer(Int64(number)), "other": [true]]
    }

    package func call(_ name: Aspect, _ value: JSON, isTied: Bool) -> Call {
        Call(
            method: BusInterface.name + ".Publish",
            parameters: ["aspect": .string(name.name), "value": value, "whileConnected": .bool(isTied)])
    }

    /// Records the reply to a Publish.
    package func take(_ parameters: JSONObject, of name: Aspect, _ value: JSON, isTied: Bool) throws(Broken) {
        guard let published = PublishedValue(name, validating: value) else { throw Broken("\(value) was published") }
        try ledger.publish(published, tiedTo: isTied ? tie : nil, parameters.decoded())
    }

    package func disconnect() {
        guard let peer else { return }
        peer.close()
        self.peer = nil
        ledger.connectionEnded(tie)
    }

    package func busDied() {
        peer = nil
    }
}
