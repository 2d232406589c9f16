// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem
package import Varlink

/// A client's socket and the session on it: calls go out, replies come in, and nothing waits.
package final class ClientSocket {
    /// The longest reply in bytes: replies grow with the user's settings, so that the limit of calls is too low.
    private static let replyLimit = 64 << 20

    private let stream: any ByteStream
    private var session = ClientSession(maximumFrame: ClientSocket.replyLimit)
    private var output = PendingOutput()

    package init(_ stream: any ByteStream) {
        self.stream = stream
    }

    package var number: Int32 { stream.number }

    package var peer: UnixStream.Peer? { try? stream.peer() }

    /// Whether no call waits for room, because all have been sent or the peer has stopped reading.
    package var isFlushed: Bool { output.isEmpty }
    /// Whether the peer has stopped reading; replies that it sent before can still be read.
    package private(set) var isWriteClosed = false

    /// Sends a call, as far as there is room.
    package func send(_ call: Call) throws(LinkFailure) {
        try send(session.call(call))
    }

    /// Sends encoded calls that have no reply, as far as there is room.
    package func send(_ bytes: [UInt8]) throws(LinkFailure) {
        try LinkFailure.reaching { () throws(SystemError) in
            if try !output.write(bytes, to: stream) { isWriteClosed = true }
        }
    }

    package func flush() throws(LinkFailure) {
        try LinkFailure.reaching { () throws(SystemError) in
            if try !output.write(to: stream) { isWriteClosed = true }
        }
    }

    /// Returns the next reply; `nil` if it has not arrived yet.
    ///
    /// Throws at the end of the connection, behind the last reply, and for bytes that are not Varlink.
    package func nextReply() throws(LinkFailure) -> Reply? {
        while true {
            if let reply = try receivedReply() { return reply }
            switch try read() {
            case .bytes: continue
            case .wouldBlock: return nil
            case .ended: throw .ended
            }
        }
    }

    private func receivedReply() throws(LinkFailure) -> Reply? {
        do throws(VarlinkError) {
            return try session.nextReply()
        } catch {
            throw .invalid(error)
        }
    }

    private func read() throws(LinkFailure) -> UnixStream.Outcome {
        try LinkFailure.reaching { () throws(SystemError) in try stream.read { session.receive($0) } }
    }
}
