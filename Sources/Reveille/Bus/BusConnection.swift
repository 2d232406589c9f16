// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleWire
import Varlink

/// One connection to a bus, on a loop: calls go out, replies come in, in order.
///
/// Loop thread only. It ends once, by ``close()`` or by telling `onEnd`.
final class BusConnection {
    /// Replies are as long as the user's settings are many; the limit of calls is not theirs.
    static let replyLimit = 64 << 20
    /// What one read takes.
    private static let readSize = 65_536

    private let stream: UnixStream
    private var session = ClientSession(maximumFrame: BusConnection.replyLimit)
    private var source: EventSource?
    private var unsent: [UInt8] = []
    private var isClosed = false
    private let onReply: (Reply) -> Void
    private let onEnd: (ReveilleError) -> Void

    /// Takes a connected stream.
    ///
    /// - Parameters:
    ///   - stream: Connected to a bus.
    ///   - loop: Tells what comes.
    ///   - onReply: Gets each reply; may close the connection.
    ///   - onEnd: Told why the connection ended, unless it was closed from here.
    /// - Throws: `SystemError` when the loop has no room.
    init(
        _ stream: UnixStream, loop: EventLoop, onReply: @escaping (Reply) -> Void,
        onEnd: @escaping (ReveilleError) -> Void
    ) throws(SystemError) {
        self.stream = stream
        self.onReply = onReply
        self.onEnd = onEnd
        source = try loop.watch(stream.number, for: [.readable, .writable, .halfClosed, .edge]) { [weak self] _ in
            self?.flush()
            self?.readAll()
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
        source?.cancel()
        source = nil
    }

    /// Takes what is there to read, now.
    func readAll() {
        while !isClosed, readOnce() {}
    }

    private func flush() {
        while !isClosed, !unsent.isEmpty {
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
