// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleSystem
import Varlink

/// One peer: its session, what waits to be written to it, and the subscription it streams.
///
/// Loop thread only. Its descriptor is watched edge-triggered, both ways: an edge of writing is how the
/// peer's reading shows (see ``UnixStream/isAllRead``).
final class Connection {
    static let interest: EventLoop.Interest = [.readable, .writable, .halfClosed, .edge]

    /// How long a peer may take to say something, or to end what it began to say.
    ///
    /// Whoever connects calls at once, and a frame is written whole; who does neither keeps a descriptor from
    /// others. Once it has called, a peer may be silent for as long as it likes.
    static let patience: Duration = .seconds(8)

    let stream: any ByteStream
    let peer: UnixStream.Peer
    var session: ServerSession
    /// The limit that refuses this connection: its first call is answered with it, then it is closed.
    let refusal: CallError?
    /// Ends with the connection.
    var source: (any LoopSource)?
    /// What it streams.
    var subscription: SubscriptionID?
    /// What it keeps watched: what it streams, from the call on.
    var aspects: AspectSet = []
    /// The process behind the subscription, where it can be held on to.
    var process: PeerProcess?
    /// Tells when the process ends; ends before its descriptor is closed.
    var processEnd: (any LoopSource)?
    /// Holds that end once a fresh sample is there.
    var waking: HoldReasons = []
    /// Holds that end by themselves, by reason.
    var deadlines: [HoldReasons: any LoopSource] = [:]
    /// There may be bytes to read.
    var canRead = true
    /// The peer will write no more.
    var hasEnded = false
    var isClosed = false
    /// Closes once everything is written.
    var isClosing = false
    /// It has called something.
    var hasCalled = false
    /// Runs while it is waited for, see ``patience``.
    var silence: (any LoopSource)?
    /// Its calls are being read and answered, further up the stack.
    var isAdvancing = false
    /// All others go first: it had more calls than fit in its last turn, or its user has had its share.
    private(set) var isFlooding = false

    private var output: [UInt8] = []
    private var written = 0

    init(stream: any ByteStream, peer: UnixStream.Peer, maximumFrame: Int, refusal: CallError?) {
        self.stream = stream
        self.peer = peer
        self.refusal = refusal
        session = ServerSession(maximumFrame: maximumFrame)
    }

    /// Whether the peer is to say something, and soon.
    var isAwaited: Bool {
        !isClosed && !session.isAnswering && !hasOutput && (!hasCalled || session.bufferedCount > 0)
    }

    /// Lets all others go first, or takes its turn among them.
    func setFlooding(_ isFlooding: Bool) {
        guard isFlooding != self.isFlooding else { return }
        self.isFlooding = isFlooding
        source?.setPriority(isFlooding ? .flood : .normal)
    }

    /// Whether bytes wait for room in the socket.
    var hasOutput: Bool { written < output.count }

    /// Writes a frame, and keeps what the socket has no room for: a frame is never cut.
    ///
    /// - Throws: `SystemError` when the peer is gone.
    func send(_ bytes: [UInt8]) throws(SystemError) {
        if hasOutput {
            output += bytes
        } else {
            output = bytes
            written = 0
        }
        try flush()
    }

    /// Writes what waits, as far as there is room.
    func flush() throws(SystemError) {
        while hasOutput {
            switch try stream.write(output[written...]) {
            case .bytes(let count): written += count
            case .wouldBlock: return
            case .ended: throw SystemError("send", code: EPIPE)
            }
        }
        output.removeAll()
        written = 0
    }
}
