// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CMosquitto
import Glibc
package import ReveilleSystem

/// One connection to a broker by MQTT 5, which is established once and never again: reconnecting is up to its owner.
///
/// Nothing blocks. Messages that the broker has not acknowledged are lost with the connection. Loop thread only.
package final class MQTTConnection {
    /// The time from the start to the broker's answer, including TLS; the same as for other peers.
    package static let connectPatience: Duration = .seconds(10)
    /// The largest packet in bytes that the broker may send.
    ///
    /// Payloads of the protocol are smaller by far, but one of 1 MB
    /// can be received and refused by the name of its topic.
    package static let packetLimit = 2_097_152

    /// What the timer waits for.
    enum Phase {
        /// The broker's answer.
        case connecting
        /// The next ping.
        case connected
        /// Room for the last packets.
        case disconnecting
        case closed
    }

    let options: Options
    let loop: EventLoop
    private let onEvent: (Event) -> Void
    var phase = Phase.connecting
    var client: MQTTClient?
    var source: EventSource?
    /// The descriptor of the source.
    var descriptor: OwnedDescriptor?
    var timer: EventSource?
    var lookup: HostLookup?
    /// Delivers what libmosquitto reports within a call of the owner, after the owner has returned.
    private var deferral: EventSource?
    private var isDelivering = false
    /// Keeps a connection that its owner has released, until its DISCONNECT is sent.
    var ownReference: MQTTConnection?
    var activity = Activity()
    var attempts = Attempts()
    /// The time since boot at which the attempt to connect ends, in microseconds.
    let deadline: UInt64

    /// Starts to connect.
    ///
    /// - Parameters:
    ///   - options: The broker and what is requested.
    ///   - loop: The loop that drives the connection.
    ///   - patience: The time from the start to the broker's answer.
    ///   - onEvent: Called on the loop, never before this returns. It may close or release the connection.
    /// - Throws: `MQTTError` if the options are invalid, a file is missing or the broker refuses immediately.
    package init(
        _ options: Options, on loop: EventLoop, patience: Duration = connectPatience,
        onEvent: @escaping (Event) -> Void
    ) throws(MQTTError) {
        self.options = options
        self.loop = loop
        self.onEvent = onEvent
        deadline = loop.bootClock + EventLoop.microseconds(patience)
        do throws(SystemError) {
            timer = try loop.timer { [weak self] in self?.timeIsOver() }
            deferral = try loop.timer { [weak self] in self?.deliver() }
        } catch {
            throw MQTTError(.unreachable, "connecting to \(options.broker): \(error)")
        }
        do throws(MQTTClient.Failure) {
            try start()
        } catch {
            release()
            throw self.error(error)
        }
        timer?.fire(after: patience)
    }

    deinit {
        release()
    }

    // MARK: - Requests

    /// Publishes a message.
    ///
    /// - Parameters:
    ///   - payload: The payload; empty with `retain` to delete the retained message.
    ///   - topic: The topic.
    ///   - retain: Whether the broker keeps the message for later subscribers.
    ///   - expiry: The time in seconds after which the broker discards the message; `nil` to keep it.
    ///   - qos: 0 or 1. A message at QoS 0 counts as acknowledged when it is sent.
    /// - Returns: The identifier of the message in ``Event/acknowledged(_:refusal:code:)``.
    /// - Throws: `MQTTError` if the connection is not established, or the topic or size is invalid.
    package func publish(
        _ payload: [UInt8], to topic: String, retain: Bool, expiry: UInt32? = nil, qos: Int32 = 1
    ) throws(MQTTError) -> Int32 {
        let client = try established("publishing to '\(topic)'", topic)
        var properties = MQTTProperties()
        if let expiry { properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, expiry) }
        var identifier: Int32 = 0
        let result = mosquitto_publish_v5(
            client.handle, &identifier, topic, Int32(clamping: payload.count), payload, qos, retain, properties.list)
        if result == MOSQ_ERR_SUCCESS.code, qos > 0 { client.publications.insert(identifier) }
        try requested(result, "publishing to '\(topic)'")
        return identifier
    }

    /// Subscribes to topics.
    ///
    /// Their retained messages follow.
    ///
    /// - Parameters:
    ///   - filters: The topics and patterns.
    ///   - qos: The greatest QoS of the messages, 0 or 1.
    ///   - wantsRetained: Whether the messages that the broker keeps are delivered.
    /// - Returns: The identifier of the subscription in ``Event/subscribed(_:codes:)``.
    /// - Throws: `MQTTError` if the connection is not established or a filter is invalid.
    @discardableResult
    package func subscribe(
        to filters: [String], qos: Int32 = 1, wantsRetained: Bool = true
    ) throws(MQTTError) -> Int32 {
        let options = wantsRetained ? 0 : Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue)
        let action = "subscribing to '\(filters.joined(separator: "', '"))'"
        let client = try established(action, filters.joined())
        var identifier: Int32 = 0
        let result = Self.withCStrings(filters) {
            mosquitto_subscribe_multiple(client.handle, &identifier, Int32($0.count), $0.baseAddress, qos, options, nil)
        }
        client.subscriptions[identifier] = filters.count
        try requested(result, action)
        return identifier
    }

    /// Ends subscriptions.
    ///
    /// Messages that are on their way still arrive.
    ///
    /// - Throws: `MQTTError` if the connection is not established or a filter is invalid.
    package func unsubscribe(from filters: [String]) throws(MQTTError) {
        let action = "unsubscribing from '\(filters.joined(separator: "', '"))'"
        let client = try established(action, filters.joined())
        let result = Self.withCStrings(filters) {
            mosquitto_unsubscribe_multiple(client.handle, nil, Int32($0.count), $0.baseAddress, nil)
        }
        try requested(result, action)
    }

    /// Sends what was published and a DISCONNECT, with which the broker discards the will, and closes the connection.
    ///
    /// No event follows. The connection may be released immediately.
    package func disconnect() {
        guard phase == .connected, let client else { return close() }
        phase = .disconnecting
        mosquitto_disconnect_v5(client.handle, 0, nil)
        // The broker does not read; it publishes the will.
        guard client.socket >= 0 else { return close() }
        ownReference = self
        timer?.fire(after: Self.connectPatience)
        watch()
    }

    /// Closes the connection at once, without further events, as if it were lost: the broker publishes the will.
    package func close() {
        release()
    }

    private func established(_ action: String, _ text: String) throws(MQTTError) -> MQTTClient {
        guard phase == .connected, let client else {
            throw MQTTError(.lost, "\(action) on \(options.broker): not connected")
        }
        // It would end the text in C.
        guard !text.utf8.contains(0) else {
            throw MQTTError(.protocol, "\(action) on \(options.broker): the topic contains a NUL")
        }
        return client
    }

    /// Handles the result of a request, whose packet may have been sent already.
    private func requested(_ result: Int32, _ action: String) throws(MQTTError) {
        let code = errno
        switch result {
        case MOSQ_ERR_SUCCESS.code: break
        case MOSQ_ERR_INVAL.code, MOSQ_ERR_MALFORMED_UTF8.code:
            throw MQTTError(.protocol, "\(action) on \(options.broker): invalid topic")
        case MOSQ_ERR_OVERSIZE_PACKET.code, MOSQ_ERR_PAYLOAD_SIZE.code:
            throw MQTTError(
                .refused, "\(action) on \(options.broker): the broker does not accept messages of this size")
        default: note(result, code)
        }
        noteActivity()
        settleLater()
    }

    private static func withCStrings(
        _ texts: [String], _ body: (UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        let copies = texts.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return copies.withUnsafeBufferPointer(body)
    }

    // MARK: - Events

    /// Waits for what is next, or delivers what has happened after the caller has returned.
    func settleLater() {
        guard let client else { return }
        if client.failure == nil, client.events.isEmpty {
            watch()
        } else if !isDelivering {
            deferral?.fire(after: .zero)
        }
    }

    /// Delivers what has happened, and ends a connection that has failed.
    func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while let client, phase != .disconnecting {
            let events = client.events
            client.events = []
            if client.isAccepted, phase == .connecting { noteAccepted() }
            for event in events where phase == .connected { onEvent(event) }
            guard phase != .closed else { return }
            if let failure = client.failure {
                if connectsAgain(after: failure) { continue }
                let error = error(failure)
                release()
                return onEvent(.ended(error))
            }
            if client.events.isEmpty { return watch() }
        }
    }

    /// Releases everything, and sources before their descriptors.
    func release() {
        phase = .closed
        stopWatching()
        timer = nil
        deferral = nil
        lookup = nil
        client = nil
        ownReference = nil
    }
}
