// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The client's side of one connection: calls in, bytes out, bytes in, replies out.
///
/// Calls may be made before others are answered. Nothing on the wire says to which call a reply
/// belongs but the order, which this keeps.
public struct ClientSession: Sendable {
    /// The calls that wait for a reply, `oneway` calls not among them.
    private var pending: [Call.Mode] = []
    private var decoder: FrameDecoder
    private var failure: VarlinkError?

    /// Makes the session of a new connection.
    ///
    /// - Parameter maximumFrame: The longest reply allowed, in bytes and without its NUL.
    public init(maximumFrame: Int = Limits.frame) {
        decoder = FrameDecoder(maximumLength: maximumFrame)
    }

    /// How many calls wait for their last reply.
    public var pendingCount: Int { pending.count }

    /// Whether the call that waits first was made with `more`, so that any number of replies may
    /// come before the service looks at the calls behind it.
    public var isStreaming: Bool { pending.first == .more }

    /// Makes a call.
    ///
    /// - Parameter call: The call.
    /// - Returns: The bytes to send.
    public mutating func call(_ call: Call) -> [UInt8] {
        if call.mode != .oneway {
            pending.append(call.mode)
        }
        return call.encoded()
    }

    /// Adds bytes that were read; they are not looked at before ``nextReply()``.
    ///
    /// - Parameter bytes: What a read gave.
    public mutating func receive(_ bytes: Span<UInt8>) {
        decoder.feed(bytes)
    }

    /// Takes the next reply, of the call that waits first.
    ///
    /// - Returns: The reply, which may be an error reply; `nil` when it is not whole yet.
    /// - Throws: ``VarlinkError`` when the connection has to be closed; and from then on each time.
    public mutating func nextReply() throws(VarlinkError) -> Reply? {
        if let failure {
            throw failure
        }
        do throws(VarlinkError) {
            guard let frame = try decoder.nextMessage() else { return nil }
            let reply = try Reply(parsing: frame)
            guard let mode = pending.first else { throw .unexpectedReply }
            guard !reply.continues || mode == .more else { throw .unexpectedContinues }
            if !reply.continues {
                pending.removeFirst()
            }
            return reply
        } catch {
            failure = error
            throw error
        }
    }
}
