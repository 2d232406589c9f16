// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
package import ReveilleSystem
import ReveilleWire
import Varlink

extension BusServer {
    package func accept(_ stream: any ByteStream) {
        var uid: UInt32?
        do throws(SystemError) {
            let peer = try stream.peer()
            uid = peer.uid
            let connection = try Connection(
                stream: stream, number: connections.takeNumber(), peer: peer, maximumFrame: configuration.bus.maxFrame,
                isRefused: refusal(of: peer) != nil, loop: loop
            ) { [unowned self] in handle($0, $1) }
            try watchSilence(of: connection)
            // Accepting and closing a connection costs about as much as a call.
            shares.charge(Self.timePerConnection, to: peer.uid, at: loop.bootClock)
            connection.setFlooding(shares.isSpent(peer.uid, at: loop.bootClock))
            if let displaced = connections.add(connection) { close(displaced) }
        } catch {
            note("a connection cannot be served: \(error)", of: uid ?? 0, level: .error)
        }
    }

    /// Returns the error for a peer whose user or process has reached a limit of connections.
    func refusal(of peer: UnixStream.Peer) -> CallError? {
        connections.refusal(of: peer, by: configuration.bus, permissions)
    }

    func close(_ connection: Connection) {
        guard !connection.isClosed else { return }
        connections.remove(connection)
        closing(connection)
        let subscription = connection.subscription
        if let subscription {
            if let slot = bus.slot(of: subscription) { connections.subscribers[slot] = nil }
            bus.cancel(subscription)
        }
        watchers.end(connection.aspects)
        connection.close()
        closed(connection, subscription)
        turn.timesHaveChanged = true
        turn.demandHasChanged = true
        connectionClosed()
    }

    func close(_ connection: Connection, because reason: String) {
        note("closing the connection of process \(connection.peer.pid): \(reason)", of: connection.peer.uid)
        close(connection)
    }

    private func handle(_ connection: Connection, _ interest: EventLoop.Interest) {
        // A peer that has hung up needs no stream, even if the stream has not begun. Its other calls are still carried
        // out.
        if interest.isDisconnected, interest.contains(.failed) || connection.isStream {
            charging(connection) { close(connection) }
            return
        }
        // Varlink has no out-of-band data. A read ends before it, and bytes after it cause no other edge.
        guard !interest.hasChanged else {
            charging(connection) { close(connection, because: "it sent out-of-band data") }
            return
        }
        connection.note(interest)
        if interest.canWrite { flush(connection) }
        // A stream takes no calls.
        guard !connection.isStream || connection.takesPiece else { return }
        let now = loop.bootClock
        if !connection.isFlooding, shares.isSpent(connection.peer.uid, at: now) { return connection.yield() }
        charging(connection, at: now) { advance(connection) }
    }

    /// Charges the processor time of some work to the peer's user.
    func charging(_ connection: Connection, at now: UInt64? = nil, _ body: () -> Void) {
        let start = loop.threadClock(at: now ?? loop.bootClock)
        body()
        let end = loop.bootClock
        let time = loop.threadTime(since: start, at: end)
        if time > 0 { shares.charge(time, to: connection.peer.uid, at: end) }
    }

    private func flush(_ connection: Connection) {
        do throws(SystemError) {
            try connection.flush()
        } catch {
            return close(connection)
        }
        releaseIfRead(connection)
        if awaitsReading(by: connection) {
            // Another request for the edge would be answered at once, since there is room.
            guard connection.isAllRead else { return }
            hasRead(connection)
        }
        // While changes come faster than the peer reads, the next reply needs the edge too.
        if let id = connection.subscription, bus.isBehind(id) { return }
        if !connection.hasOutput { connection.ignoreReading() }
    }

    /// Clears the `unread` hold of a subscriber that has read its last reply.
    func releaseIfRead(_ connection: Connection) {
        guard let id = connection.subscription, connection.isAllRead else { return }
        bus.noteRead(by: id)
    }

    /// Reads and answers calls until there are no more, or a call waits for its reply.
    func advance(_ connection: Connection) {
        answerCalls(of: connection)
        do throws(SystemError) {
            try watchSilence(of: connection)
        } catch {
            note("\(error)", of: connection.peer.uid, level: .error)
            close(connection)
        }
    }

    private func answerCalls(of connection: Connection) {
        var calls = 0
        let start = loop.bootClock
        var now = start
        while connection.takesCalls || connection.takesPiece {
            if calls > 0 {
                now = loop.bootClock
                guard calls < Self.callsPerTurn, now - start <= Self.timePerTurn else { return connection.yield() }
            }
            if let reply = connection.reply {
                calls += 1
                sendPiece(of: reply, to: connection)
                continue
            }
            do throws(VarlinkError) {
                if let call = try connection.nextCall() {
                    calls += 1
                    answer(call, on: connection)
                    continue
                }
            } catch {
                return close(connection, because: "\(error)")
            }
            switch connection.input {
            case .pending: read(connection)
            case .interrupted:
                connection.inputArrived()
                return connection.yield()
            case .ended: return close(connection)
            case .drained: return connection.setFlooding(shares.isSpent(connection.peer.uid, at: now))
            }
        }
        if connection.phase.isDismissed, !connection.hasOutput { close(connection) }
    }

    /// Sends the next piece of a reply, which counts as a call of the turn.
    private func sendPiece(of reply: ListReply, to connection: Connection) {
        let (piece, isLast) = reply.next()
        guard !connection.isClosed else { return }
        guard isLast else { return send(piece, to: connection) }
        connection.reply = nil
        send(connection.session.reply(frame: piece, continues: connection.isStream), to: connection)
        if connection.isStream { connection.setFlooding(shares.isSpent(connection.peer.uid, at: loop.bootClock)) }
    }

    /// Closes the connection if its peer does not call in time.
    private func watchSilence(of connection: Connection) throws(SystemError) {
        guard connection.awaitsCall else { return connection.silence = nil }
        // Single bytes do not extend the time.
        guard connection.silence == nil else { return }
        try connection.beginSilence(on: loop) { [weak self] connection in
            guard let self else { return }
            let silence = connection.silence
            // After a suspend the time may be over although the call is in the socket.
            connection.inputArrived()
            advance(connection)
            guard let silence, connection.silence === silence else { return }
            close(connection, because: "it sent no complete call within \(Connection.patience)")
        }
    }

    private func read(_ connection: Connection) {
        do throws(SystemError) {
            try connection.read(with: connections.readBuffer)
        } catch {
            close(connection, because: "\(error)")
        }
    }
}
