// SPDX-License-Identifier: Apache-2.0

/// The client's side of a connection, without I/O: encodes calls and decodes replies.
///
/// Calls may be sent before earlier calls have been answered. Replies carry no identifier and are matched to calls by
/// their order.
public struct ClientSession: Sendable {
    /// The modes of the calls that await a reply; this excludes `oneway` calls.
    private var pending: [Call.Mode] = []
    private var decoder: MessageDecoder
    private var failure: VarlinkError?

    /// Creates the session of a new connection.
    ///
    /// - Parameter maximumFrame: The maximum length of a reply in bytes, without its NUL.
    public init(maximumFrame: Int = Limits.frame) {
        decoder = MessageDecoder(maximumLength: maximumFrame)
    }

    /// The number of calls that await their last reply.
    public var pendingCount: Int { pending.count }

    /// Whether the first pending call was sent with `more`, so that any number of its replies may precede the replies
    /// to later calls.
    public var isStreaming: Bool { pending.first == .more }

    /// Adds a call to the pending calls, and returns the bytes to send.
    public mutating func call(_ call: Call) -> [UInt8] {
        if call.mode != .oneway { pending.append(call.mode) }
        return call.encoded()
    }

    /// Appends received bytes, which ``nextReply()`` parses.
    public mutating func receive(_ bytes: Span<UInt8>) {
        decoder.feed(bytes)
    }

    /// Takes the next reply to the first pending call.
    ///
    /// - Returns: The reply, possibly an error reply; `nil` if no reply is complete.
    /// - Throws: ``VarlinkError`` if the connection must be closed; every later call throws the same error.
    public mutating func nextReply() throws(VarlinkError) -> Reply? {
        if let failure { throw failure }
        do throws(VarlinkError) {
            guard let message = try decoder.next() else { return nil }
            let reply = try Reply(message)
            guard let mode = pending.first else { throw .unexpectedReply }
            guard !reply.continues || mode == .more else { throw .unexpectedContinues }
            if !reply.continues { pending.removeFirst() }
            return reply
        } catch {
            failure = error
            throw error
        }
    }
}
