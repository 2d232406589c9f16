// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem
import Varlink

/// A connection that may send anything, and whose replies are checked.
package final class SimulatedPeer {
    private let stream: SimulatedStream
    private var conversation: Conversation
    /// The remaining bytes of a partial send.
    private var unsent: ArraySlice<UInt8> = []
    /// The generation of the last lifecycle that the peer has read.
    private var lifecycle: Int64 = 0

    package init(_ stream: SimulatedStream, maximumFrame: Int = Limits.frame) {
        self.stream = stream
        conversation = Conversation(with: SimulatedBus.interfaces, maximumFrame: maximumFrame)
    }

    package var credentials: UnixStream.Peer { stream.credentials }
    /// Whether the bus has closed the connection.
    package var isClosed: Bool { stream.isClosedByBus }
    /// Whether the bus has sent bytes that have not been read.
    var hasUnread: Bool { !stream.toPeer.isEmpty }
    /// The call whose reply is due.
    var awaited: Call? { isClosed ? nil : conversation.awaited }

    /// Sends at most a number of bytes now, and the remainder before the bytes of a later send.
    package func send(_ bytes: [UInt8], most: Int = .max) {
        unsent += bytes
        let now = Array(unsent.prefix(most))
        unsent = unsent.dropFirst(most)
        stream.send(now)
        conversation.send(now)
    }

    /// Returns the replies in at most a number of bytes; throws for an invalid reply, and if too many are unread.
    ///
    /// A bus that has ended has sent everything that was due.
    package func read(_ most: Int, busHasEnded: Bool = false) throws(Broken) -> [Conversation.Answer] {
        do throws(Broken) {
            if !busHasEnded { try conversation.checkGate(stream.toPeer) }
            let time = stream.arrival
            return try conversation.receive(stream.receive(most), at: time)
        } catch {
            throw Broken("process \(credentials.pid) of user \(credentials.uid): \(error)")
        }
    }

    /// Checks the lifecycle in a reply to Subscribe: it is the first event, and no change of it is missing.
    func takeLifecycle(of answer: Conversation.Answer) throws(Broken) {
        let events = (answer.reply.parameters["events"]?.arrayValue ?? []).map { $0.objectValue ?? [:] }
        let places = events.indices.filter { events[$0]["aspect"] == "lifecycle" }
        guard let event = places.first.map({ events[$0] }) else { return }
        guard places == [0], let generation = event["generation"]?.integerValue,
            let changes = event["changes"]?.integerValue
        else { throw Broken("\(answer.call) received \(answer.reply)") }
        // The first reply may have the current state.
        let isFirst = answer.reply.parameters["subscription"] != nil
        guard isFirst || changes > 0 && generation == lifecycle + changes else {
            throw Broken("\(answer.call) received generation \(generation) after \(lifecycle): \(answer.reply)")
        }
        lifecycle = generation
    }

    func closeHalf() { stream.closeHalf() }
    func close() { stream.close() }
}
