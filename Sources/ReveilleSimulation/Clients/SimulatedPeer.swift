// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleSystem
import Varlink

/// A connection that may send anything, and whose replies are checked.
package final class SimulatedPeer {
    private let stream: SimulatedStream
    private var conversation: Conversation
    /// The bytes of a partial send that remain.
    private var unsent: ArraySlice<UInt8> = []

    /// Creates a peer that has sent nothing.
    ///
    /// - Parameters:
    ///   - stream: The connection.
    ///   - maximumFrame: The maximum length of a call.
    package init(_ stream: SimulatedStream, maximumFrame: Int = Limits.frame) {
        self.stream = stream
        conversation = Conversation(with: SimulatedBus.interfaces, maximumFrame: maximumFrame)
    }

    /// The credentials of the peer.
    package var credentials: UnixStream.Peer { stream.credentials }
    /// Whether the bus has closed the connection.
    package var isClosed: Bool { stream.isClosedByBus }
    /// Whether the bus has sent bytes that have not been read.
    var hasUnread: Bool { !stream.toPeer.isEmpty }
    /// The call whose reply is due.
    var awaited: Call? { isClosed ? nil : conversation.awaited }

    /// Sends bytes, after those that remain from earlier sends.
    ///
    /// - Parameters:
    ///   - bytes: Arbitrary bytes.
    ///   - most: The maximum number of bytes to send now.
    package func send(_ bytes: [UInt8], most: Int = .max) {
        unsent += bytes
        let now = Array(unsent.prefix(most))
        unsent = unsent.dropFirst(most)
        stream.send(now)
        conversation.send(now)
    }

    /// Reads replies.
    ///
    /// - Parameters:
    ///   - most: The maximum number of bytes.
    ///   - busHasEnded: Whether the bus has stopped and sent everything that was due.
    /// - Returns: The replies in the bytes.
    /// - Throws: `Broken` for an invalid reply, and if too many replies are unread.
    package func read(_ most: Int, busHasEnded: Bool = false) throws(Broken) -> [Conversation.Answer] {
        do throws(Broken) {
            if !busHasEnded { try conversation.checkGate(stream.toPeer) }
            let time = stream.arrival
            return try conversation.receive(stream.receive(most), at: time)
        } catch {
            throw Broken("process \(credentials.pid) of user \(credentials.uid): \(error)")
        }
    }

    func closeHalf() {
        stream.closeHalf()
    }

    func close() {
        stream.close()
    }
}
