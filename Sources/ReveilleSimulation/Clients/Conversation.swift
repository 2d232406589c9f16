// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import Varlink

/// What a peer has sent over one connection, and what may come back: each call is answered once, in its turn, as its
/// interface says.
package struct Conversation {
    /// A call with one reply to it.
    package struct Answer {
        /// What was called.
        package let call: Call
        /// What came back.
        package let reply: Reply
    }

    private let interfaces: [Interface]
    private var sent: FrameDecoder
    private var received = FrameDecoder(maximumLength: .max >> 1)
    private var pending: ArraySlice<Call> = []
    /// The peer broke the protocol, or was refused: nothing else is answered, and the bus closes the connection.
    package private(set) var isOver = false
    /// Its first call of those that wait has been answered, and goes on.
    package private(set) var isStreaming = false

    /// Begins a conversation.
    ///
    /// - Parameters:
    ///   - interfaces: What may be called, and what the answers look like.
    ///   - maximumFrame: The longest call that the bus takes.
    package init(with interfaces: [Interface], maximumFrame: Int) {
        self.interfaces = interfaces
        sent = FrameDecoder(maximumLength: maximumFrame)
    }

    /// The call whose answer is due, if it has to come soon.
    package var awaited: Call? { isOver || isStreaming ? nil : pending.first }

    /// Whether half a call was sent.
    package var isAmidCall: Bool { sent.bufferedCount > 0 }

    /// Notes what the peer sends.
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

    /// Takes what the peer reads.
    ///
    /// - Returns: The answers in it.
    /// - Throws: `Broken` for what is no answer to what was called.
    package mutating func receive(_ bytes: [UInt8]) throws(Broken) -> [Answer] {
        received.feed(bytes.span)
        var answers: [Answer] = []
        while let frame = try? received.nextFrame() {
            guard let reply = try? Reply(parsing: frame) else { throw Broken("\(JSON.text(frame)) is no reply") }
            guard let call = pending.first else { throw Broken("nothing was called, and told was \(reply)") }
            try check(reply, to: call)
            isStreaming = reply.continues
            if !reply.continues { pending.removeFirst() }
            answers.append(Answer(call: call, reply: reply))
            if reply.isRefusal {
                isOver = true
                pending = []
            }
        }
        return answers
    }

    /// Checks that a peer that streams has no more than one reply unread.
    package func checkGate(_ unread: [UInt8]) throws(Broken) {
        guard isStreaming, received.bufferedCount == 0 else { return }
        let frames = unread.split(separator: 0).count
        guard frames <= 1 else { throw Broken("\(frames) replies wait unread") }
    }

    private func check(_ reply: Reply, to call: Call) throws(Broken) {
        do throws(CallError) {
            guard let name = reply.error else {
                guard let method = interface(call.interface)?.methods[call.member] else {
                    throw .methodNotFound(call.method)
                }
                guard !reply.continues || call.mode == .more else { throw .expectedMore }
                return try interface(call.interface)?.validate(reply.parameters, method.output) ?? ()
            }
            let error = Call(method: name)
            guard let structure = interface(error.interface)?.errors[error.member] else {
                throw .methodNotFound(name)
            }
            try interface(error.interface)?.validate(reply.parameters, structure)
        } catch {
            throw Broken("\(call.method) was answered with \(reply), which its interface does not allow: \(error)")
        }
    }

    private func interface(_ name: String) -> Interface? {
        interfaces.first { $0.name == name }
    }
}

extension Reply {
    /// Says that the connection itself is one too many.
    var isRefusal: Bool {
        error?.hasSuffix(".QuotaExceeded") == true && parameters["quota"] == "connections"
    }
}

extension JSON {
    fileprivate static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
