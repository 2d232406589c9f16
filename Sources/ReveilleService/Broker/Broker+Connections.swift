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
        var uid: UInt32?
        do throws(SystemError) {
            let peer = try stream.peer()
            uid = peer.uid
            let connection = Connection(
                stream: stream, peer: peer, maximumFrame: limits.maxFrame, refusal: refusal(of: peer.uid))
            connection.source = try loop.watch(stream.number, for: Connection.interest) {
                [weak self, unowned connection] interest in
                self?.handle(connection, interest)
            }
            try watchSilence(of: connection)
            // To take a connection and to let it go costs about as much as a call.
            shares.charge(Self.timePerConnection, to: peer.uid, at: loop.bootClock)
            connection.setFlooding(shares.isSpent(peer.uid, at: loop.bootClock))
            if connection.refusal != nil {
                if let displaced = refused.add(connection) { close(displaced) }
                return
            }
            connections[ObjectIdentifier(connection)] = connection
            connectionsOfUser[peer.uid, default: 0] += 1
        } catch {
            note("a connection cannot be served: \(error)", of: uid ?? 0, level: .error)
        }
    }

    /// Logs what a peer did or caused, if its user has not caused too much in the log already.
    func note(_ line: @autoclosure () -> String, of uid: UInt32, level: Logger.Level = .info) {
        guard let omitted = logQuota.admit(uid, at: loop.bootClock) else { return }
        let remark = omitted > 0 ? " (\(omitted) more lines about user \(uid) were left out before this one)" : ""
        logger.log(level: level, "\(line())\(remark)")
    }

    /// The limit that is reached for a user, if one is; root is never refused.
    private func refusal(of uid: UInt32) -> CallError? {
        guard uid != 0 else { return nil }
        if connectionsOfUser[uid, default: 0] >= limits.connectionsPerUser {
            return .quotaExceeded("connections", limit: limits.connectionsPerUser)
        }
        return connections.count >= limits.connections
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
        if connection.refusal != nil {
            refused.remove(connection)
        } else {
            connections[ObjectIdentifier(connection)] = nil
            let others = (connectionsOfUser[connection.peer.uid] ?? 1) - 1
            connectionsOfUser[connection.peer.uid] = others == 0 ? nil : others
        }
        if let id = connection.subscription {
            subscribers[id] = nil
            bus.cancel(id)
        }
        watchers.end(connection.aspects)
        adjustWatchers()
        connectionClosed()
    }

    private func handle(_ connection: Connection, _ interest: EventLoop.Interest) {
        // A peer that is gone altogether wants no stream, not even one that has not begun; calls that it left are still
        // carried out.
        if interest.contains(.failed) || interest.contains(.hungUp) && !connection.aspects.isEmpty {
            return close(connection)
        }
        if !interest.isDisjoint(with: [.readable, .halfClosed, .hungUp]) { connection.canRead = true }
        if interest.contains(.writable) { flush(connection) }
        // A user who has had its share comes after all others, which this source does from now on.
        if !connection.isFlooding, shares.isSpent(connection.peer.uid, at: loop.bootClock) {
            connection.setFlooding(true)
            connection.source?.rearm(Connection.interest)
            return deliver()
        }
        charging(connection) { advance(connection) }
        deliver()
    }

    /// Does something for a peer, and counts the time as its user's.
    func charging(_ connection: Connection, _ body: () -> Void) {
        let start = loop.threadClock
        body()
        let end = loop.threadClock
        if end > start { shares.charge(end - start, to: connection.peer.uid, at: loop.bootClock) }
    }

    private func flush(_ connection: Connection) {
        do throws(SystemError) {
            try connection.flush()
        } catch {
            return close(connection)
        }
        releaseIfRead(connection)
    }

    /// Clears the hold of a subscriber that has read its last reply.
    func releaseIfRead(_ connection: Connection) {
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
                note("\(error)", of: connection.peer.uid, level: .error)
                close(connection)
            }
        }
        var calls = 0
        let start = loop.bootClock
        while !connection.isClosed, !connection.session.isAnswering, !connection.hasOutput {
            if connection.isClosing { return close(connection) }
            if calls == Self.callsPerTurn || loop.bootClock - start > Self.timePerTurn {
                connection.setFlooding(true)
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
                note("closing the connection of process \(connection.peer.pid): \(error)", of: connection.peer.uid)
                return close(connection)
            }
            if connection.canRead {
                read(connection)
            } else if connection.hasEnded {
                return close(connection)
            } else {
                return connection.setFlooding(shares.isSpent(connection.peer.uid, at: loop.bootClock))
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
            note(
                "closing the connection of process \(connection.peer.pid): it says nothing, or half of it",
                of: connection.peer.uid)
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
            note("closing the connection of process \(connection.peer.pid): \(error)", of: connection.peer.uid)
            close(connection)
        }
    }
}
