// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleLink
package import ReveilleSystem
package import ReveilleWire
package import Varlink

/// A connection to a bus whose calls block the thread until the reply is there: for programs without a loop.
///
/// It belongs to one thread. It does not reconnect.
package final class BlockingClient {
    private let socket: ClientSocket
    private var last = Call.fence

    package init(_ address: UnixAddress) throws(ReveilleError) {
        socket = ClientSocket(
            try ReveilleError.reaching { () throws(LinkFailure) in
                try LinkFailure.reaching { () throws(SystemError) in try UnixStream(connectingTo: address) }
            })
    }

    /// The process that listens, by the credentials of the socket.
    package var peer: UnixStream.Peer? { socket.peer }

    /// Waits for the first reply to a call, the last call if it has more; throws an error reply.
    package func call<Method: BusMethod>(_ method: Method) throws(ReveilleError) -> Method.Answer {
        last = Call(method)
        try send(last)
        return try receive(expecting: Method.Answer.self)
    }

    package func publish(_ value: PublishedValue) throws(ReveilleError) {
        _ = try call(Publish(value))
    }

    /// Waits for the next reply to the last call.
    package func receive<Answer: BusReply>(expecting type: Answer.Type) throws(ReveilleError) -> Answer {
        try type.init(try receive(), to: last)
    }

    /// Returns the next reply to the last call; `nil` if there is none yet.
    package func next<Answer: BusReply>(expecting type: Answer.Type) throws(ReveilleError) -> Answer? {
        guard let reply = try ReveilleError.reaching(socket.nextReply) else { return nil }
        return try type.init(reply, to: last)
    }

    /// The descriptor of the connection, borrowed for as long as the client lives.
    package var number: Int32 { socket.number }

    /// Sends a call; waits while the bus has no room for it.
    ///
    /// If the bus ends the connection first, ``receive(atMost:)`` returns the reason that it may have sent.
    package func send(_ call: Call) throws(ReveilleError) {
        try ReveilleError.reaching { () throws(LinkFailure) in
            try socket.send(call)
            try waitUntilSent()
            if call.mode == .oneway, socket.isWriteClosed { throw .ended }
        }
    }

    /// Sends encoded `oneway` calls; waits while the bus has no room for them.
    package func send(_ bytes: [UInt8]) throws(ReveilleError) {
        try ReveilleError.reaching { () throws(LinkFailure) in
            try socket.send(bytes)
            try waitUntilSent()
            if socket.isWriteClosed { throw .ended }
        }
    }

    private func waitUntilSent() throws(LinkFailure) {
        while !socket.isFlushed {
            guard try wait(for: .writable, atMost: Patience().answer) else {
                throw .unanswered(nil, within: Patience().answer)
            }
            try socket.flush()
        }
    }

    /// Waits for the next reply, which can be an error reply.
    package func receive(atMost patience: Duration = Patience().answer) throws(ReveilleError) -> Reply {
        let deadline = ContinuousClock.now + patience
        return try ReveilleError.reaching { () throws(LinkFailure) in
            while true {
                if let reply = try socket.nextReply() { return reply }
                let left = deadline - .now
                guard left > .zero, try wait(for: .readable, atMost: left) else {
                    throw .unanswered(nil, within: patience)
                }
            }
        }
    }

    private func wait(for direction: Readiness.Direction, atMost patience: Duration) throws(LinkFailure) -> Bool {
        try LinkFailure.reaching { () throws(SystemError) in
            try Readiness.wait(socket.number, for: direction, atMost: patience)
        }
    }
}
