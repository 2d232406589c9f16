// SPDX-License-Identifier: Apache-2.0

/// The service's side of a connection, without I/O: decodes calls and encodes replies.
///
/// It takes one call at a time. Until a call has its last reply, even for the lifetime of a stream, the calls
/// after it remain in the buffer. Replies are therefore in the order of the calls, and the owner of the socket
/// can stop reading while ``bufferedCount`` is high.
public struct ServerSession: Sendable {
    @usableFromInline
    enum State: Sendable {
        case idle
        case answering(Call.Mode)
        /// The peer violated the protocol; no more calls are taken.
        case failed(VarlinkError)
    }

    @usableFromInline var state = State.idle
    @usableFromInline var decoder: MessageDecoder

    /// Creates the session of a new connection.
    ///
    /// - Parameter maximumFrame: The maximum length of a call in bytes, without its NUL.
    public init(maximumFrame: Int = Limits.frame) {
        decoder = MessageDecoder(maximumLength: maximumFrame)
    }

    /// Whether a call was taken that awaits its last reply.
    @inlinable public var isAnswering: Bool {
        if case .answering = state { true } else { false }
    }

    /// Whether the current call is `oneway`, so that its caller does not wait for a result.
    public var isOneway: Bool {
        if case .answering(.oneway) = state { true } else { false }
    }

    /// Whether the caller of the current call takes more than one reply.
    package var wantsMore: Bool {
        if case .answering(.more) = state { true } else { false }
    }

    /// The number of received bytes that have not been taken as calls.
    @inlinable public var bufferedCount: Int { decoder.bufferedCount }

    /// Appends received bytes, which ``nextCall()`` parses.
    public mutating func receive(_ bytes: Span<UInt8>) {
        decoder.feed(bytes)
    }

    /// Takes the next call.
    ///
    /// Every call must be answered with ``reply(_:continues:)`` or ``fail(_:)``, including `oneway` calls, although
    /// nothing is sent for them.
    ///
    /// - Returns: The call, or `nil` if it is incomplete or another call is still being answered.
    /// - Throws: ``VarlinkError`` if the connection must be closed; every later call throws the same error.
    public mutating func nextCall() throws(VarlinkError) -> Call? {
        switch state {
        case .idle: break
        case .answering: return nil
        case .failed(let error): throw error
        }
        do throws(VarlinkError) {
            guard let message = try decoder.next() else { return nil }
            let call = try Call(message)
            // A stream takes no more calls.
            if call.mode == .more { decoder.releaseMemory() }
            state = .answering(call.mode)
            return call
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Answers the current call.
    ///
    /// - Parameters:
    ///   - parameters: The results; not evaluated for a `oneway` call.
    ///   - continues: Whether more replies follow; allowed only for a call with `more`.
    /// - Returns: The bytes to send; empty for a `oneway` call.
    public mutating func reply(_ parameters: @autoclosure () -> JSONObject = [:], continues: Bool = false) -> [UInt8] {
        isReplyWanted(continues: continues) ? Reply(parameters: parameters(), continues: continues).encoded() : []
    }

    /// Answers the current call with a reply that is already encoded.
    ///
    /// - Parameters:
    ///   - frame: A result of ``Reply/encode(parameters:continues:)``, which many calls may share; not evaluated for a
    ///     `oneway` call.
    ///   - continues: Whether more replies follow, as the frame says; allowed only for a call with `more`.
    /// - Returns: The bytes to send; empty for a `oneway` call.
    public mutating func reply(frame: @autoclosure () -> [UInt8], continues: Bool = false) -> [UInt8] {
        isReplyWanted(continues: continues) ? frame() : []
    }

    /// Ends the current call with an error.
    ///
    /// - Returns: The bytes to send; empty for a `oneway` call.
    public mutating func fail(_ error: CallError) -> [UInt8] {
        isReplyWanted(continues: false) ? Reply(error).encoded() : []
    }

    private mutating func isReplyWanted(continues: Bool) -> Bool {
        guard case .answering(let mode) = state else { preconditionFailure("reply without a call") }
        precondition(!continues || mode == .more, "'continues' in a reply to a call without 'more'")
        if !continues { state = .idle }
        return mode != .oneway
    }
}
