// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleSystem
import Varlink

/// One connection that may do anything, and checks all that it is answered.
package final class SimulatedPeer {
    private let stream: SimulatedStream
    private var conversation: Conversation
    /// What is still to be sent of what was begun.
    private var unsent: ArraySlice<UInt8> = []

    init(_ stream: SimulatedStream, conversation: Conversation) {
        self.stream = stream
        self.conversation = conversation
    }

    /// Who it is.
    package var credentials: UnixStream.Peer { stream.credentials }
    /// The bus has let go of it.
    package var isClosed: Bool { stream.isClosedByBus }
    /// What it has to be told soon.
    var awaited: Call? { isClosed ? nil : conversation.awaited }

    /// Sends bytes behind those that it has begun to send.
    ///
    /// - Parameters:
    ///   - bytes: Any.
    ///   - most: How many of them now.
    func send(_ bytes: [UInt8], most: Int = .max) {
        unsent += bytes
        let now = Array(unsent.prefix(most))
        unsent = unsent.dropFirst(most)
        stream.send(now)
        conversation.send(now)
    }

    /// Reads so many bytes at most.
    ///
    /// - Parameters:
    ///   - most: How many.
    ///   - busHasEnded: The bus has said all that was due, read or not.
    /// - Returns: The answers in them.
    /// - Throws: `Broken` for what is no answer, and when too much waits unread.
    func read(_ most: Int, busHasEnded: Bool = false) throws(Broken) -> [Conversation.Answer] {
        do throws(Broken) {
            if !busHasEnded { try conversation.checkGate(stream.toPeer) }
            return try conversation.receive(stream.receive(most))
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
