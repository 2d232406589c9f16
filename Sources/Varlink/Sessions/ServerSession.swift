// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The service's side of one connection: bytes in, calls out, replies in, bytes out.
///
/// It takes one call at a time. While a call is answered, be it for as long as a stream lasts,
/// those behind it stay in the buffer; replies thereby have the order of the calls, and whoever
/// reads the socket can stop reading while ``bufferedCount`` is high.
public struct ServerSession: Sendable {
    private enum State: Sendable {
        /// The next call can be taken.
        case idle
        /// A call was taken and has not got its last reply.
        case answering(Call.Mode)
        /// The peer broke the protocol; nothing is taken any more.
        case failed(VarlinkError)
    }

    private var state = State.idle
    private var decoder: FrameDecoder

    /// Makes the session of a new connection.
    ///
    /// - Parameter maximumFrame: The longest call allowed, in bytes and without its NUL.
    public init(maximumFrame: Int = Limits.frame) {
        decoder = FrameDecoder(maximumLength: maximumFrame)
    }

    /// Whether a call was taken that has not got its last reply.
    public var isAnswering: Bool {
        if case .answering = state { true } else { false }
    }

    /// How many received bytes wait to be taken as calls.
    public var bufferedCount: Int { decoder.bufferedCount }

    /// Adds bytes that were read; they are not looked at before ``nextCall()``.
    ///
    /// - Parameter bytes: What a read gave.
    public mutating func receive(_ bytes: Span<UInt8>) {
        decoder.feed(bytes)
    }

    /// Takes the next call, which then has to be answered, with ``reply(_:continues:)`` or
    /// ``fail(_:)``; a `oneway` call as well, though nothing is sent for it.
    ///
    /// - Returns: The call; `nil` when it is not whole yet, or while another is being answered.
    /// - Throws: ``VarlinkError`` when the connection has to be closed; and from then on each time.
    public mutating func nextCall() throws(VarlinkError) -> Call? {
        switch state {
        case .idle: break
        case .answering: return nil
        case .failed(let error): throw error
        }
        do throws(VarlinkError) {
            guard let frame = try decoder.nextMessage() else { return nil }
            let call = try Call(parsing: frame)
            state = .answering(call.mode)
            return call
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Answers the call that was taken.
    ///
    /// - Parameters:
    ///   - parameters: What comes out.
    ///   - continues: Whether more replies follow; only for a call with `more`.
    /// - Returns: The bytes to send; none for a `oneway` call.
    public mutating func reply(_ parameters: JSONObject = [:], continues: Bool = false) -> [UInt8] {
        isReplyWanted(continues: continues) ? Reply(parameters: parameters, continues: continues).encoded() : []
    }

    /// Answers the call that was taken with parameters that were written before.
    ///
    /// - Parameters:
    ///   - parameters: A JSON object in compact form.
    ///   - continues: Whether more replies follow; only for a call with `more`.
    /// - Returns: The bytes to send; none for a `oneway` call.
    public mutating func reply(encoded parameters: [UInt8], continues: Bool) -> [UInt8] {
        isReplyWanted(continues: continues) ? Reply.encode(parameters: parameters, continues: continues) : []
    }

    /// Answers the call that was taken with a reply that was encoded whole before, and ends it.
    ///
    /// - Parameter frame: What ``Reply/encode(parameters:continues:)`` gave, for any number of calls.
    /// - Returns: The bytes to send; none for a `oneway` call.
    public mutating func reply(frame: [UInt8]) -> [UInt8] {
        isReplyWanted(continues: false) ? frame : []
    }

    /// Ends the call that was taken with an error.
    ///
    /// - Parameter error: Why it failed.
    /// - Returns: The bytes to send; none for a `oneway` call.
    public mutating func fail(_ error: CallError) -> [UInt8] {
        isReplyWanted(continues: false) ? Reply(error).encoded() : []
    }

    /// Notes a reply, and says whether it is to be sent.
    private mutating func isReplyWanted(continues: Bool) -> Bool {
        guard case .answering(let mode) = state else {
            preconditionFailure("A reply without a call.")
        }
        precondition(!continues || mode == .more, "A reply that continues to a call without 'more'.")
        if !continues {
            state = .idle
        }
        return mode != .oneway
    }
}
