// SPDX-License-Identifier: Apache-2.0

import ReveilleWire
package import Varlink

/// The calls of a peer on one connection and the replies they allow: each call is answered once, in order, as its
/// interface declares.
package struct Conversation {
    /// A call with one of its replies.
    package struct Answer {
        package let call: Call
        package let reply: Reply
        /// The time since boot when the reply's first byte arrived.
        package let arrival: UInt64
    }

    private let interfaces: [Interface]
    private var sent: FrameDecoder
    private var received = FrameDecoder(maximumLength: .max >> 1)
    private var pending: ArraySlice<Call> = []
    /// The time when the first byte of the next reply arrived.
    private var arrival: UInt64 = 0
    /// Whether the peer violated the protocol or was refused; the bus then closes the connection.
    package private(set) var isOver = false
    /// Whether the first pending call has been answered with `continues`.
    package private(set) var isStreaming = false

    package init(with interfaces: [Interface], maximumFrame: Int) {
        self.interfaces = interfaces
        sent = FrameDecoder(maximumLength: maximumFrame)
    }

    package var awaited: Call? { isOver || isStreaming ? nil : pending.first }

    package mutating func send(_ bytes: [UInt8]) {
        sent.feed(bytes.span)
        while !isOver {
            do {
                guard let frame = try sent.nextFrame() else { return }
                let call = try Call(parsing: frame)
                if call.mode != .oneway { pending.append(call) }
            } catch {
                return isOver = true
            }
        }
    }

    /// Returns the replies in bytes that the peer reads, and whose first byte arrived at a time.
    ///
    /// - Throws: `Broken` for a reply that does not match its call.
    package mutating func receive(_ bytes: [UInt8], at time: UInt64 = 0) throws(Broken) -> [Answer] {
        if received.bufferedCount == 0 { arrival = time }
        received.feed(bytes.span)
        var answers: [Answer] = []
        while let frame = try? received.nextFrame() {
            guard let reply = try? Reply(parsing: frame) else {
                throw Broken("invalid reply \(String(decoding: frame, as: UTF8.self))")
            }
            guard let call = pending.first else { throw Broken("reply without a call: \(reply)") }
            try check(reply, to: call)
            isStreaming = reply.continues
            if !reply.continues { pending.removeFirst() }
            answers.append(Answer(call: call, reply: reply, arrival: arrival))
            arrival = time
            if Self.isRefusal(reply) {
                isOver = true
                pending = []
            }
        }
        return answers
    }

    /// Whether the connection is refused because there are too many.
    private static func isRefusal(_ reply: Reply) -> Bool {
        guard reply.error?.hasSuffix(".QuotaExceeded") == true else { return false }
        return ["connections", "processConnections", "busConnections"].contains(reply.parameters["quota"])
    }

    /// Checks that a streaming peer has at most one unread reply.
    package func checkGate(_ unread: [UInt8]) throws(Broken) {
        guard isStreaming, received.bufferedCount == 0 else { return }
        var count = 0
        for frame in unread.split(separator: 0) {
            count += 1
            // Replies to later calls may follow the stream's last reply.
            guard let reply = try? Reply(parsing: Array(frame)), reply.continues else { break }
        }
        guard count <= 1 else { throw Broken("\(count) replies are unread") }
    }

    private func check(_ reply: Reply, to call: Call) throws(Broken) {
        do throws(CallError) {
            if let error = CallError(reply) {
                return try interface(of: Call(method: error.name)).validate(error)
            }
            let interface = try interface(of: call)
            guard !reply.continues || call.mode == .more else { throw .expectedMore }
            try interface.validate(reply.parameters, of: call)
        } catch {
            throw Broken("reply \(reply) to \(call.method) does not match its interface: \(error)")
        }
    }

    private func interface(of call: Call) throws(CallError) -> Interface {
        guard let interface = interfaces.first(where: { $0.name == call.interface }) else {
            throw .interfaceNotFound(call.method)
        }
        return interface
    }
}

extension JSONObject {
    /// Decodes the parameters of a reply.
    func decoded<Value: BusReply>() throws(Broken) -> Value {
        try Result { () throws(CallError) in try Value(self, noting: UnknownWords()) }
            .mapError { Broken("\(self) is invalid: \($0)") }.get()
    }
}
