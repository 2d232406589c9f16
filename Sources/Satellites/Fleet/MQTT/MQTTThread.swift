// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The thread of a connection: it connects, carries out requests and reports events until the connection has ended.
///
/// A loop of our own replaces libmosquitto's, which reconnects by itself, does not report failed attempts, and cannot
/// be stopped without a DISCONNECT.
final class MQTTThread: Sendable {
    enum Request: Sendable {
        case publish([UInt8], topic: String, retain: Bool, expiry: UInt32?)
        case subscribe([String], qos: Int32, wantsRetained: Bool)
        case unsubscribe([String])
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

    /// Requests with their identifiers; 0 for requests without an answer.
    let requests: Handover<(Int32, Request)>
    let events: Handover<MQTTConnection.Event>
    private let options: MQTTConnection.Options
    /// Whether the thread looks the host up or connects; neither can be interrupted.
    private let isConnecting = Lock(true)
    private let end: Pipe

    init(_ options: MQTTConnection.Options) throws(SystemError) {
        self.options = options
        requests = try Handover()
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
        if taken.count >= Self.eventLimit { requests.put((0, .proceed)) }
        return taken
    }

    private func run() -> MQTTError {
        do throws(MQTTClient.Failure) {
            let client = try MQTTClient(options, into: events)
            client.connect()
            isConnecting.withLock { $0 = false }
            serve(client)
            let failure = client.failure ?? MQTTClient.Failure(.lost, "closed")
            return MQTTError(failure.kind, failure.reason, of: options.broker, isConnected: client.isAccepted)
        } catch {
            return MQTTError(error.kind, error.reason, of: options.broker, isConnected: false)
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
                pollfd(fd: requests.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&waits, 2, isLeaving ? Self.farewell : client.pause)
            if isLeaving, ready == 0 { return client.disconnect() }
            for (identifier, request) in requests.take() {
                switch request {
                case .close: return
                case .disconnect: isLeaving = true
                default: client.carryOut(request, identifier)
                }
            }
            client.turn(Int32(waits[0].revents))
        }
    }
}
