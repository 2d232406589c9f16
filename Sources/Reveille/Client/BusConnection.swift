// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleWire
import Varlink

/// One connection to a bus, on a loop: calls go out, replies come in, in order.
///
/// Loop thread only. It ends once, by ``close()`` or by telling `onEnd`.
final class BusConnection {
    /// Connects to the bus, without waiting for room in its queue.
    typealias Connect = () throws(SystemError) -> UnixStream

    /// Replies are as long as the user's settings are many; the limit of calls is not theirs.
    static let replyLimit = 64 << 20
    /// What one read takes.
    private static let readSize = 65_536

    private let connect: Connect
    private let loop: EventLoop
    /// `nil` while the bus has no room in its queue.
    private var stream: UnixStream?
    /// Tries again to connect.
    private var retry: EventSource?
    private var backoff = Backoff()
    private let connectDeadline: Int64
    private var session = ClientSession(maximumFrame: BusConnection.replyLimit)
    private var source: EventSource?
    private var unsent: [UInt8] = []
    private var isClosed = false
    private let onReply: (Reply) -> Void
    private let onEnd: (ReveilleError) -> Void

    /// Connects, or goes on trying to for as long as the bus has no room in its queue.
    ///
    /// - Parameters:
    ///   - connect: Connects to the bus.
    ///   - loop: Tells what comes.
    ///   - patience: How long to wait for room in the queue.
    ///   - onReply: Gets each reply; may close the connection.
    ///   - onEnd: Told why the connection ended, unless it was closed from here.
    /// - Throws: `SystemError` when there is no bus, or the loop has no room.
    init(
        _ connect: @escaping Connect, loop: EventLoop, patience: Duration, onReply: @escaping (Reply) -> Void,
        onEnd: @escaping (ReveilleError) -> Void
    ) throws(SystemError) {
        self.connect = connect
        self.loop = loop
        self.onReply = onReply
        self.onEnd = onEnd
        connectDeadline = Clocks.boot() + Int64(patience / .microseconds(1))
        do throws(SystemError) {
            try begin(try connect())
        } catch {
            guard error.isQueueFull else { throw error }
            retry = try loop.timer { [weak self] in self?.connectAgain() }
            connectLater()
        }
    }

    private func begin(_ stream: UnixStream) throws(SystemError) {
        source = try loop.watch(stream.number, for: [.readable, .writable, .halfClosed, .edge]) { [weak self] _ in
            self?.flush()
            self?.readAll()
        }
        self.stream = stream
    }

    private func connectLater() {
        let left = Duration.microseconds(connectDeadline - Clocks.boot())
        retry?.fire(after: min(left, backoff.next(fraction: Double.random(in: 0...1))))
    }

    private func connectAgain() {
        do throws(SystemError) {
            try begin(try connect())
            retry = nil
        } catch {
            guard error.isQueueFull, Clocks.boot() < connectDeadline else { return end(ReveilleError(reaching: error)) }
            connectLater()
        }
    }

    /// Sends a call; that the bus is gone is told to `onEnd`, later.
    func send(_ call: Call) {
        unsent += session.call(call)
        flush()
    }

    /// Ends the connection without a word.
    func close() {
        isClosed = true
        retry = nil
        source?.cancel()
        source = nil
    }

    /// Takes what is there to read, now.
    func readAll() {
        while !isClosed, readOnce() {}
    }

    private func flush() {
        while !isClosed, !unsent.isEmpty, let stream {
            do throws(SystemError) {
                switch try stream.write(unsent[...]) {
                case .bytes(let count): unsent.removeFirst(count)
                // Its end is read behind what it has still said.
                case .wouldBlock, .ended: return
                }
            } catch {
                return end(ReveilleError(reaching: error))
            }
        }
    }

    private func readOnce() -> Bool {
        guard let stream else { return false }
        let outcome: UnixStream.Outcome
        do throws(SystemError) {
            outcome = try withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 1) {
                buffer throws(SystemError) in
                let outcome = try stream.read(into: buffer)
                if case .bytes(let count) = outcome {
                    session.receive(UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count]).span)
                }
                return outcome
            }
        } catch {
            end(ReveilleError(reaching: error))
            return false
        }
        switch outcome {
        case .wouldBlock: return false
        case .ended:
            end(.ended)
            return false
        case .bytes:
            takeReplies()
            return true
        }
    }

    private func takeReplies() {
        do throws(VarlinkError) {
            while !isClosed, let reply = try session.nextReply() { onReply(reply) }
        } catch {
            end(ReveilleError(.invalidReply, "what the bus sent is no Varlink: \(error)"))
        }
    }

    private func end(_ error: ReveilleError) {
        guard !isClosed else { return }
        close()
        onEnd(error)
    }
}
