// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CMosquitto
import Glibc
import ReveilleSystem

extension MQTTConnection {
    /// The most packets that are read before other sources of the loop have their turn.
    private static let packetsPerTurn = 32

    /// What has been sent and received, and when.
    struct Activity {
        /// The number of packets.
        var received = 0
        var sent = 0
        /// When they were sent and received.
        var keepAlive = KeepAlive()
        /// The number of answers.
        var answered = 0
        /// Since when the broker owes an answer: the time of the request or of the last answer.
        var owedSince: UInt64?
        /// When the timer of an established connection fires.
        var due = UInt64.max
        /// Whether the socket is connected.
        var isEstablished = false
        /// The number of bytes of an incomplete packet that were waiting to be read.
        var incomplete = 0
        /// Whether the last turn ended within a packet, or without one.
        var isWithinPacket = false
    }

    /// Waits for what the connection needs next.
    func watch() {
        guard let client, client.socket >= 0 else { return }
        var interest: EventLoop.Interest = phase == .disconnecting ? [] : .readable
        // During the handshake, libmosquitto asks for room without need, which would keep the loop busy.
        let needsRoom =
            !activity.isEstablished || !client.isShakingHands && mosquitto_want_write(client.handle)
        if needsRoom { interest.insert(.writable) }
        if let source { return source.rearm(interest) }
        do throws(SystemError) {
            // libmosquitto closes its own descriptor before the source ends, and other processes may have inherited it: the
            // kernel would continue to report it.
            let copy = fcntl(client.socket, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { throw SystemError("fcntl", code: errno) }
            descriptor = OwnedDescriptor(copy)
            source = try loop.watch(copy, for: interest) { [weak self] in self?.turn($0) }
        } catch {
            client.fail(.unreachable, "\(error)")
            settleLater()
        }
    }

    /// Ends the source before its descriptor is closed, even if its handler is running and keeps it.
    func stopWatching() {
        source?.cancel()
        source = nil
        descriptor = nil
    }

    private func turn(_ conditions: EventLoop.Interest) {
        guard let client else { return }
        if phase == .disconnecting { return flush(client, conditions) }
        if !activity.isEstablished {
            // Before libmosquitto takes the error away.
            let code = socketError(client)
            if code == 0, conditions.isDisconnected, client.isShakingHands {
                // libmosquitto has lost the error in the first steps of TLS: the connection was refused or reset.
                client.fail(.unreachable, "the broker closed the connection, or there is none at this address")
                return deliver()
            }
            if code != 0 {
                client.fail(.unreachable, reason(code))
                return deliver()
            }
            activity.isEstablished = conditions.canWrite || conditions.canRead
        }
        let wasShakingHands = client.isShakingHands
        // A broker's last words explain why writing fails, so they are read before. During the handshake, reading also
        // writes, and vice versa.
        if phase == .connecting || conditions.canRead || conditions.isDisconnected { read(client) }
        if client.failure == nil, client.socket >= 0, phase == .connecting || conditions.canWrite {
            let result = mosquitto_loop_write(client.handle, 1)
            let code = errno
            if result != MOSQ_ERR_SUCCESS.code { note(result, code) }
        }
        if client.failure == nil, client.socket < 0 { client.fail(client.gone, closing) }
        if client.failure == nil, wasShakingHands, conditions.isDisconnected || isAtEnd(client) {
            // libmosquitto would try again forever.
            client.fail(.unreachable, closing)
        }
        noteActivity()
        deliver()
    }

    private func read(_ client: MQTTClient) {
        if activity.isWithinPacket {
            var waiting: Int32 = 0
            _ = ioctl(client.socket, UInt(FIONREAD), &waiting)
            activity.incomplete += Int(max(0, waiting))
            guard activity.incomplete <= Self.packetLimit else {
                return client.fail(.protocol, "the broker sent a packet larger than \(Self.packetLimit) bytes")
            }
        }
        let received = client.received
        for _ in 0..<Self.packetsPerTurn {
            let before = client.received
            let result = mosquitto_loop_read(client.handle, 1)
            let code = errno
            if result != MOSQ_ERR_SUCCESS.code { note(result, code) }
            if client.failure != nil || client.socket < 0 || client.received == before { break }
        }
        activity.isWithinPacket = client.received == received
        if !activity.isWithinPacket { activity.incomplete = 0 }
    }

    /// Sends the last packets, and closes the connection when they are sent or cannot be.
    private func flush(_ client: MQTTClient, _ conditions: EventLoop.Interest) {
        let result = mosquitto_loop_write(client.handle, 1)
        if result != MOSQ_ERR_SUCCESS.code || client.socket < 0 || conditions.isDisconnected {
            release()
        } else {
            watch()
        }
    }

    /// Whether everything was read that the broker will ever send.
    private func isAtEnd(_ client: MQTTClient) -> Bool {
        var byte: UInt8 = 0
        return recv(client.socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// The error of a socket that could not connect, or 0.
    private func socketError(_ client: MQTTClient) -> Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(client.socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }

    /// Notes when packets were sent and received.
    func noteActivity() {
        guard let client else { return }
        if client.received != activity.received {
            activity.received = client.received
            let wasAsking = activity.keepAlive.isAsking
            activity.keepAlive.received(at: loop.bootClock)
            if wasAsking, phase == .connected { awaitNext() }
        }
        noteAnswers(client)
        if client.sent != activity.sent {
            activity.sent = client.sent
            activity.keepAlive.sent(at: loop.bootClock)
        }
    }

    func noteAccepted() {
        phase = .connected
        attempts = Attempts()
        awaitNext()
    }

    /// Notes since when the broker owes an answer.
    private func noteAnswers(_ client: MQTTClient) {
        if client.answered != activity.answered || !client.awaitsAnswer { activity.owedSince = nil }
        activity.answered = client.answered
        guard client.awaitsAnswer, activity.owedSince == nil, phase == .connected else { return }
        activity.owedSince = loop.bootClock
        if let end = answerDeadline, end < activity.due { awaitNext() }
    }

    // MARK: - Time

    func timeIsOver() {
        switch phase {
        case .connecting:
            // It may have been set to try another family of addresses, which is not needed.
            let rest = timeLeft
            if activity.isEstablished, rest > .zero { return timer?.fire(after: rest) ?? () }
            let step =
                lookup != nil
                ? "the host was not resolved" : activity.isEstablished ? "the broker did not answer" : "no connection"
            client?.fail(.unreachable, "\(step) in time")
        case .connected: checkConnection()
        case .disconnecting, .closed: return release()
        }
        deliver()
    }

    /// When a broker that has not answered anything is given up.
    private var answerDeadline: UInt64? {
        activity.owedSince.map { $0 + EventLoop.microseconds(options.answerPatience) }
    }

    /// Sets the timer to the time of the next ping, or to the end of the wait for its answer or that of a request.
    ///
    /// It is not moved by each packet, only when it fires, by the answer to a ping and by the first request.
    private func awaitNext() {
        guard let client else { return }
        let now = loop.bootClock
        var due = answerDeadline ?? .max
        if client.keepAlive > 0 {
            let step = activity.keepAlive.step(at: now, interval: client.keepAlive)
            if case .wait(let end) = step { due = min(due, end) } else { due = now }
        }
        activity.due = due
        if due == .max { timer?.disarm() } else { timer?.fire(after: .microseconds(due > now ? due - now : 0)) }
    }

    private func checkConnection() {
        guard let client else { return }
        let now = loop.bootClock
        if let answerDeadline, answerDeadline <= now {
            return client.fail(.lost, "the broker did not answer a request in time")
        }
        if client.keepAlive > 0 {
            switch activity.keepAlive.step(at: now, interval: client.keepAlive) {
            case .lost(let silence): return client.fail(.lost, "nothing was received for \(silence / 1_000_000) s")
            case .ping: ping(client, now)
            case .wait: break
            }
        }
        awaitNext()
    }

    private func ping(_ client: MQTTClient, _ now: UInt64) {
        let sent = client.sent
        let result = mosquitto_loop_misc(client.handle)
        let code = errno
        if result != MOSQ_ERR_SUCCESS.code { note(result, code) }
        // The clock of libmosquitto stops while the machine sleeps, so it is late. Anything that the broker answers
        // is a ping.
        if client.failure == nil, client.sent == sent {
            mosquitto_unsubscribe(client.handle, nil, options.clientID)
        }
        noteActivity()
        activity.keepAlive.asked(at: now)
    }
}
