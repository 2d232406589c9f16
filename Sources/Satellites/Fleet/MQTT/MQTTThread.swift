// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The thread of a connection: it connects, carries out commands and reports events until the connection has ended.
///
/// A loop of our own replaces libmosquitto's, which reconnects by itself, does not report failed attempts, and cannot
/// be stopped without a DISCONNECT.
final class MQTTThread: Sendable {
    enum Request: Sendable {
        case publish([UInt8], topic: String, retain: Bool, expiry: UInt32?)
        case subscribe([String], qos: Int32, wantsRetained: Bool)
        case unsubscribe([String])
    }

    enum Command: Sendable {
        /// Carry out a request with an identifier, which is 0 for a request without an answer.
        case request(Request, Int32)
        /// End the connection when everything was sent.
        case disconnect
        /// End the connection now.
        case close
        /// Read again, because the waiting events were taken.
        case proceed
    }

    /// The number of waiting events at which the thread stops reading: a broker delivers faster than the loop takes.
    private static let eventLimit = 1_000
    /// The time in milliseconds in which the broker must acknowledge the last messages.
    private static let farewell: Int32 = 10_000

    let commands: Handover<Command>
    let events: Handover<MQTTConnection.Event>
    private let options: MQTTConnection.Options
    /// Whether the thread looks the host up or connects; neither can be interrupted.
    private let isConnecting = Lock(true)
    private let end: Pipe

    init(_ options: MQTTConnection.Options) throws(SystemError) {
        self.options = options
        commands = try Handover()
        events = try Handover()
        end = try Pipe()
    }

    func start() throws(SystemError) {
        try Pthread.start { [self] in
            let error = run()
            events.put(.ended(error))
            end.closeWritingEnd()
        }
    }

    /// Waits until everything was released, unless the thread is connecting.
    func awaitEnd(atMost patience: Duration) {
        guard !isConnecting.withLock({ $0 }) else { return }
        _ = try? Readiness.wait(end.readingEnd, for: .readable, atMost: patience)
    }

    func takeEvents() -> [MQTTConnection.Event] {
        let taken = events.take()
        if taken.count >= Self.eventLimit { commands.put(.proceed) }
        return taken
    }

    private func run() -> MQTTError {
        do throws(MQTTError) {
            let client = try MQTTClient(options, into: events)
            client.connect()
            isConnecting.withLock { $0 = false }
            serve(client)
            return client.failure ?? client.error(.lost, "closed")
        } catch {
            return error
        }
    }

    private func serve(_ client: MQTTClient) {
        var isLeaving = false
        while client.failure == nil {
            // The broker may lose the last packets if acknowledgements are unread when the connection closes.
            if isLeaving, client.isAcknowledged { return client.disconnect() }
            let reads = events.count < Self.eventLimit ? POLLIN : 0
            var waits = [
                pollfd(fd: client.socket, events: Int16(reads | (client.needsRoom ? POLLOUT : 0)), revents: 0),
                pollfd(fd: commands.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&waits, 2, isLeaving ? Self.farewell : client.pause)
            if isLeaving, ready == 0 { return client.disconnect() }
            for command in commands.take() {
                switch command {
                case .request(let request, let identifier): client.carryOut(request, identifier)
                case .disconnect: isLeaving = true
                case .close: return
                case .proceed: break
                }
            }
            client.turn(Int32(waits[0].revents))
        }
    }
}

/// Values that one thread hands to another, in order.
final class Handover<Value: Sendable>: Sendable {
    private let values = Lock<[Value]>([])
    private let pipe: Pipe

    init() throws(SystemError) { pipe = try Pipe() }

    /// Readable for as long as values wait.
    var descriptor: Int32 { pipe.readingEnd }

    var count: Int { values.withLock { $0.count } }

    func put(_ value: Value) {
        values.withLock { values in
            values.append(value)
            if values.count == 1 { pipe.wake() }
        }
    }

    func take() -> [Value] {
        values.withLock { values in
            guard !values.isEmpty else { return [] }
            defer { values = [] }
            pipe.drain()
            return values
        }
    }
}
