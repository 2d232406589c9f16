// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// One peer: its session, its unwritten output and its subscription.
///
/// Loop thread only. The descriptor is watched edge-triggered. While something waits to be sent, an edge for writing shows
/// that the peer has read (see ``UnixStream/isAllRead``); otherwise it would only wake the bus.
final class Connection {
    enum Input {
        /// There may be bytes to read.
        case pending
        /// There may be bytes to read in another turn.
        case interrupted
        /// Everything has been read.
        case drained
        /// Everything has been read, and the peer has stopped writing.
        case ended
    }

    /// How long a peer may take before its first call, or to complete a call.
    ///
    /// Clients call as soon as they connect, and write whole frames. A peer that does neither only keeps a descriptor
    /// from others. After its first call, a peer may stay silent between calls for any time.
    static let patience: Duration = .seconds(8)

    private static let interest: EventLoop.Interest = [.readable, .changed, .halfClosed, .edge]

    let stream: any ByteStream
    let peer: UnixStream.Peer
    /// Like all unchecked properties of this class, the session is used at each call or delivery; see
    /// ``BusServer/bus``.
    @exclusivity(unchecked) var session: ServerSession
    /// The process behind the subscription, to which its freezes and its end also apply; `nil` if unknown.
    @exclusivity(unchecked) var process: SubscriberProcess?
    /// The process that holds a task by the connection's current call.
    var taskHolder: TaskHolder?
    /// Identifies the connection among all that the server has had.
    let number: UInt64
    /// Whether the connection was over a limit when it was last decided; then only calls that
    /// ``ServedMethods/isAlwaysAnswered(_:)`` are carried out.
    var isRefused: Bool
    var phase = ConnectionPhase.new
    private(set) var input = Input.pending
    /// Whether all other connections go first, because this connection had more calls than fit in a turn, or its user's
    /// share is used up.
    private(set) var isFlooding = false
    /// Runs while the peer is expected to call; see ``patience``.
    var silence: (any LoopSource)?
    /// Whether the peer has stopped writing, so that only the end of the stream follows the socket's contents.
    private var willEnd = false
    private var source: (any LoopSource)?
    @exclusivity(unchecked) private var outgoing = Outgoing()

    /// Watches an accepted stream.
    init(
        stream: any ByteStream, number: UInt64, peer: UnixStream.Peer, maximumFrame: Int, isRefused: Bool,
        loop: any Loop,
        handler: @escaping (Connection, EventLoop.Interest) -> Void
    ) throws(SystemError) {
        self.stream = stream
        self.number = number
        self.peer = peer
        self.isRefused = isRefused
        session = ServerSession(maximumFrame: maximumFrame)
        source = try loop.watch(stream.number, for: Self.interest) { [unowned self] in handler(self, $0) }
    }

    // MARK: - Phase

    var isClosed: Bool { phase.isClosed }
    var subscription: SubscriptionID? { phase.subscription }
    var isStream: Bool { phase.isStream }
    var aspects: AspectSet { phase.aspects }

    /// No call is read while a reply waits for room or a stream runs, so a peer that calls without reading fills only
    /// its own socket.
    var takesCalls: Bool { phase.takesCalls && !session.isAnswering && !hasOutput }

    func nextCall() throws(VarlinkError) -> Call? {
        guard session.bufferedCount > 0, let call = try session.nextCall() else { return nil }
        phase.call()
        silence = nil
        return call
    }

    /// Ends everything that could call back; releasing the connection closes the descriptor.
    func close() {
        phase = .closed
        source?.cancel()
        silence = nil
        outgoing.reply = nil
    }

    // MARK: - Turns

    func setFlooding(_ isFlooding: Bool) {
        guard isFlooding != self.isFlooding else { return }
        self.isFlooding = isFlooding
        source?.setPriority(isFlooding ? .flood : .normal)
    }

    /// Postpones the rest of a turn until all other connections have had theirs.
    func yield() {
        setFlooding(true)
        // The socket may be drained; but as it has room, it reports this at once.
        outgoing.awaitsReading = false
        awaitReading()
    }

    var awaitsCall: Bool { phase.awaitsFirstCall || takesCalls && session.bufferedCount > 0 }

    func beginSilence(on loop: any Loop, expired: @escaping (Connection) -> Void) throws(SystemError) {
        // The connection owns the timer. A weak reference would make every later retain of the connection slower.
        let timer = try loop.timer { [unowned self] in expired(self) }
        timer.fire(after: Self.patience)
        silence = timer
    }

    // MARK: - Bytes

    /// The reply that is being written; its next piece is sent when the socket has room.
    var reply: ListReply? {
        get { outgoing.reply }
        set { outgoing.reply = newValue }
    }

    /// Whether bytes wait for room in the socket.
    var hasOutput: Bool { !outgoing.bytes.isEmpty }

    var takesPiece: Bool { outgoing.reply != nil && !hasOutput }

    /// Whether the peer has read everything that was sent, and no reply is being written.
    var isAllRead: Bool { outgoing.isEmpty && stream.isAllRead }

    /// Whether the peer has read everything that was sent, even if it has closed its end since.
    var hasReadAll: Bool { !isBroken && isAllRead && !stream.hasLostOutput }
    private var isBroken = false

    func note(_ conditions: EventLoop.Interest) {
        if conditions.canRead { inputArrived() }
        if conditions.isLast { willEnd = true }
    }

    func inputArrived() {
        if input == .drained || input == .interrupted { input = .pending }
    }

    func read(with buffer: ReadBuffer) throws(SystemError) {
        switch try buffer.read(from: stream, { session.receive($0) }) {
        // Bytes that arrive from now on cause another edge, unlike an end that was reported before (epoll(7)).
        case .bytes(let count):
            guard count < buffer.capacity else { return }
            if stream.isInterrupted { input = .interrupted } else if !willEnd { input = .drained }
        case .wouldBlock: input = .drained
        case .ended: input = .ended
        }
    }

    /// Writes a whole frame, and keeps the bytes that do not fit into the socket.
    func send(_ bytes: [UInt8]) throws(SystemError) {
        guard try outgoing.bytes.write(bytes, to: stream) else { throw broken() }
        if hasOutput { awaitReading() }
    }

    func flush() throws(SystemError) {
        guard try outgoing.bytes.write(to: stream) else { throw broken() }
        if hasOutput { awaitReading() }
    }

    private func broken() -> SystemError {
        isBroken = true
        return SystemError("send", code: EPIPE)
    }

    /// Asks for an edge whenever the peer has read something.
    func awaitReading() {
        guard !outgoing.awaitsReading else { return }
        outgoing.awaitsReading = true
        source?.rearm(interest)
    }

    func ignoreReading() {
        guard outgoing.awaitsReading else { return }
        outgoing.awaitsReading = false
        source?.rearm(interest)
    }

    private var interest: EventLoop.Interest {
        outgoing.awaitsReading ? Self.interest.union(.writable) : Self.interest
    }
}

/// The output of a connection, and whether it waits until its peer has read.
private struct Outgoing {
    var bytes = PendingOutput()
    var reply: ListReply?
    var awaitsReading = false

    var isEmpty: Bool { bytes.isEmpty && reply == nil }
}
