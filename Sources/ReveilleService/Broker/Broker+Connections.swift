// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Logging
import ReveilleCore
package import ReveilleSystem
import ReveilleWire
import Varlink

extension Broker {
    /// Takes a connection that was accepted.
    package func accept(_ stream: any ByteStream) {
        do throws(SystemError) {
            let peer = try stream.peer()
            let connection = Connection(
                stream: stream, peer: peer, maximumFrame: limits.maxFrame, refusal: refusal(of: peer.uid))
            connection.source = try loop.watch(stream.number, for: Connection.interest) {
                [weak self, unowned connection] interest in
                self?.handle(connection, interest)
            }
            try watchSilence(of: connection)
            connections[ObjectIdentifier(connection)] = connection
            if connection.refusal == nil { connectionsOfUser[peer.uid, default: 0] += 1 }
        } catch {
            logger.error("a connection is refused: \(error)")
        }
    }

    /// The limit that is reached for a user, if one is; root is never refused.
    private func refusal(of uid: UInt32) -> CallError? {
        guard uid != 0 else { return nil }
        if connectionsOfUser[uid, default: 0] >= limits.connectionsPerUser {
            return .quotaExceeded("connections", limit: limits.connectionsPerUser)
        }
        return connections.values.count { $0.refusal == nil } >= limits.connections
            ? .quotaExceeded("connections", limit: limits.connections) : nil
    }

    /// Ends a connection and everything it holds.
    func close(_ connection: Connection) {
        guard !connection.isClosed else { return }
        connection.isClosed = true
        connection.source?.cancel()
        connection.processEnd?.cancel()
        freezes?.end(connection)
        connection.silence = nil
        connection.deadlines = [:]
        connections[ObjectIdentifier(connection)] = nil
        if connection.refusal == nil { connectionsOfUser[connection.peer.uid, default: 1] -= 1 }
        if connectionsOfUser[connection.peer.uid] == 0 { connectionsOfUser[connection.peer.uid] = nil }
        if let id = connection.subscription {
            streams[id] = nil
            bus.cancel(id)
        }
        sources.end(connection.aspects)
        adjustSources()
        connectionClosed()
    }

    private func handle(_ connection: Connection, _ interest: EventLoop.Interest) {
        // A peer that is gone altogether wants no stream; calls that it left are still carried out.
        if interest.contains(.failed) || interest.contains(.hungUp) && connection.subscription != nil {
            return close(connection)
        }
        if !interest.isDisjoint(with: [.readable, .halfClosed, .hungUp]) { connection.canRead = true }
        if interest.contains(.writable) { flush(connection) }
        advance(connection)
        deliver()
    }

    private func flush(_ connection: Connection) {
        do throws(SystemError) {
            try connection.flush()
        } catch {
            return close(connection)
        }
        settle(connection)
    }

    /// Clears the hold of a subscriber that has read its last reply.
    func settle(_ connection: Connection) {
        guard let id = connection.subscription, !connection.hasOutput, connection.stream.isAllRead else { return }
        bus.release(.unread, from: id)
    }

    /// Reads and answers calls, as far as there are any and none waits for its answer.
    ///
    /// Nothing is read while a reply waits for room or a stream runs: whoever sends calls without reading
    /// fills its own socket and nothing else.
    func advance(_ connection: Connection) {
        // A call that is answered at once comes back here from inside.
        guard !connection.isAdvancing else { return }
        connection.isAdvancing = true
        defer {
            connection.isAdvancing = false
            do throws(SystemError) {
                try watchSilence(of: connection)
            } catch {
                logger.error("\(error)")
                close(connection)
            }
        }
        var calls = 0
        while !connection.isClosed, !connection.session.isAnswering, !connection.hasOutput {
            if connection.isClosing { return close(connection) }
            if calls == Self.callsPerTurn {
                connection.source?.rearm(Connection.interest)
                return
            }
            do throws(VarlinkError) {
                if let call = try connection.session.nextCall() {
                    calls += 1
                    connection.hasCalled = true
                    connection.silence = nil
                    answer(call, on: connection)
                    continue
                }
            } catch {
                logger.info("closing the connection of process \(connection.peer.pid): \(error)")
                return close(connection)
            }
            if connection.canRead {
                read(connection)
            } else if connection.hasEnded {
                return close(connection)
            } else {
                return
            }
        }
    }

    /// Gives a peer that is to say something a time for it.
    private func watchSilence(of connection: Connection) throws(SystemError) {
        guard connection.isAwaited else {
            connection.silence = nil
            return
        }
        // Single bytes give no more time.
        guard connection.silence == nil else { return }
        let timer = try loop.timer { [weak self, weak connection] in
            guard let self, let connection, let silence = connection.silence else { return }
            // After a suspend the time is over for those as well whose call is in the socket.
            connection.canRead = true
            advance(connection)
            deliver()
            guard connection.silence === silence else { return }
            logger.info("closing the connection of process \(connection.peer.pid): it says nothing, or half of it")
            close(connection)
        }
        timer.fire(after: Connection.patience)
        connection.silence = timer
    }

    private func read(_ connection: Connection) {
        do throws(SystemError) {
            let outcome = try withUnsafeTemporaryAllocation(byteCount: limits.maxFrame, alignment: 1) {
                buffer throws(SystemError) in
                let outcome = try connection.stream.read(into: buffer)
                if case .bytes(let count) = outcome {
                    let bytes = UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count])
                    connection.session.receive(bytes.span)
                }
                return outcome
            }
            switch outcome {
            case .bytes: break
            case .wouldBlock: connection.canRead = false
            case .ended:
                connection.canRead = false
                connection.hasEnded = true
            }
        } catch {
            logger.info("closing the connection of process \(connection.peer.pid): \(error)")
            close(connection)
        }
    }
}
