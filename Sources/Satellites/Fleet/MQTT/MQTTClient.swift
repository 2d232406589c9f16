// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import ReveilleFleetCore
import ReveilleSystem

/// A client of libmosquitto, used and released on one thread, which also runs its callbacks.
final class MQTTClient {
    /// The largest packet in bytes that the broker may send.
    ///
    /// Payloads of the protocol are far smaller, but a reader can receive one of 2 MB and report its topic as invalid.
    private static let packetLimit: UInt32 = 2_097_152
    /// The number of error messages of libmosquitto and OpenSSL to keep; a failed handshake has two or three.
    private static let problemLimit = 8
    /// How often within the keep-alive libmosquitto may send a ping, so that a ping is late by a quarter at most.
    private static let pingChances: Int32 = 4
    /// Initializes libmosquitto once, without a cleanup, which would release memory that OpenSSL shares with threads.
    private static let isInitialized = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.code
    /// Whether a connection with TLS was tried: the first one initializes OpenSSL without regard to other threads.
    private static let hasTriedTLS = Lock(false)

    let options: MQTTConnection.Options
    let handle: OpaquePointer
    private let events: Handover<MQTTConnection.Event>
    /// The TLS connection, retained because libmosquitto releases it together with the reason for a failure.
    private(set) var tls: UnsafeMutableRawPointer?
    /// Whether the handshake of TLS is incomplete; it remains so if it fails.
    private var isShakingHands: Bool
    /// The first reason for the end of the connection.
    private(set) var failure: MQTTError?
    private(set) var problems: [String] = []
    private(set) var isAccepted = false
    /// The keep-alive in seconds, which the broker may change.
    private var keepAlive: UInt16
    /// The time of the last turn since boot, in microseconds.
    private var turnedAt: Int64 = 0
    /// The identifiers of requests, by the identifiers of their packets.
    private var publications: [Int32: Int32] = [:]
    private var subscriptions: [Int32: (identifier: Int32, count: Int)] = [:]

    init(_ options: MQTTConnection.Options, into events: Handover<MQTTConnection.Event>) throws(MQTTError) {
        guard Self.isInitialized, let handle = mosquitto_new(options.clientID, options.cleanStart, nil) else {
            let reason = "the client identifier '\(options.clientID)' is invalid"
            throw MQTTError(.protocol, reason, of: options.broker, isConnected: false)
        }
        self.options = options
        self.handle = handle
        self.events = events
        keepAlive = options.keepAlive
        isShakingHands = options.broker.address.usesTLS
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)
        mosquitto_int_option(handle, MOSQ_OPT_RECEIVE_MAXIMUM, Int32(max(1, options.receiveMaximum)))
        // Messages are few and small, and should not wait for more.
        mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        setCallbacks()
        try setIdentity()
    }

    deinit {
        if let tls { SSL_free(tls) }
        mosquitto_destroy(handle)
    }

    /// The descriptor, or -1 if there is none.
    var socket: Int32 { mosquitto_socket(handle) }

    /// Notes why the connection has ended, unless a reason is known.
    func fail(_ kind: MQTTError.Kind, _ reason: String) {
        if failure == nil { failure = error(kind, reason) }
    }

    func error(_ kind: MQTTError.Kind, _ reason: String) -> MQTTError {
        MQTTError(kind, reason, of: options.broker, isConnected: isAccepted)
    }

    // MARK: - Turns

    func connect() {
        var properties = MQTTProperties()
        properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, options.sessionExpiry)
        properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, Self.packetLimit)
        let (host, port) =
            switch options.broker.address.endpoint {
            case .tcp(let host, let port, _): (host, Int32(port))
            case .unix(let path): (path, Int32(0))
            }
        let connect = { [handle, options, list = properties.list] in
            (mosquitto_connect_bind_v5(handle, host, port, Int32(options.keepAlive), nil, list), errno)
        }
        let isFirst = options.broker.address.usesTLS && !Self.hasTriedTLS.withLock { $0 }
        let (result, code) =
            isFirst
            ? Self.hasTriedTLS.withLock { hasTried in
                hasTried = true
                return connect()
            } : connect()
        keepTLS()
        noteHandshake()
        check(result, code)
    }

    /// Whether packets wait for room.
    ///
    /// During the handshake, libmosquitto asks for room without need, which would keep the thread busy.
    var needsRoom: Bool { !isShakingHands && mosquitto_want_write(handle) }

    private func noteHandshake() {
        guard isShakingHands, let ssl = mosquitto_ssl_get(handle) else { return }
        isShakingHands = SSL_is_init_finished(ssl) == 0
    }

    /// Keeps the state of TLS, which knows why a certificate was rejected.
    func keepTLS() {
        if tls == nil, let ssl = mosquitto_ssl_get(handle), SSL_up_ref(ssl) == 1 { tls = ssl }
    }

    /// The time in milliseconds after which an idle client needs a turn; -1 for never.
    var pause: Int32 { isAccepted && keepAlive > 0 ? Int32(keepAlive) * 1_000 / Self.pingChances : -1 }

    /// Reads and sends as far as the conditions of poll(2) allow.
    func turn(_ conditions: Int32) {
        let hasEnded = conditions & (POLLHUP | POLLERR) != 0
        // The broker's last packet explains why writing fails, so reading comes first.
        if conditions & POLLIN != 0 || hasEnded {
            let (result, code) = (mosquitto_loop_read(handle, 1), errno)
            noteHandshake()
            check(result, code)
        }
        if failure == nil, needsRoom { check(mosquitto_loop_write(handle, 1), errno) }
        if failure == nil, socket < 0 || hasEnded && !isAccepted {
            // In the handshake, libmosquitto would try again forever.
            fail(gone, closing)
        }
        if failure == nil, isAccepted, keepAlive > 0 {
            check(mosquitto_loop_misc(handle), errno)
            // The clocks of libmosquitto and poll(2) stop while the machine sleeps. The broker's clock runs on: it ends
            // the connection after one and a half times the keep-alive (section 3.1.2.10).
            let now = Clocks.boot()
            if now - turnedAt > Int64(keepAlive) * 1_500_000 {
                fail(.lost, "this machine has slept for longer than the broker waits")
            }
            turnedAt = now
        }
    }

    /// Carries out a request; the broker's answer has its identifier.
    func carryOut(_ request: MQTTThread.Request, _ identifier: Int32) {
        var packet: Int32 = 0
        switch request {
        case .publish(let payload, let topic, let retain, let expiry):
            var properties = MQTTProperties()
            if let expiry { properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, expiry) }
            let result = mosquitto_publish_v5(
                handle, &packet, topic, Int32(clamping: payload.count), payload, 1, retain, properties.list)
            let code = errno
            switch result {
            case MOSQ_ERR_SUCCESS.code: publications[packet] = identifier
            case MOSQ_ERR_OVERSIZE_PACKET.code, MOSQ_ERR_PAYLOAD_SIZE.code: refuse(identifier, ReasonCode.tooLarge)
            case MOSQ_ERR_INVAL.code, MOSQ_ERR_MALFORMED_UTF8.code: refuse(identifier, ReasonCode.invalidTopic)
            default: check(result, code)
            }
        case .subscribe(let filters, let qos, let wantsRetained):
            let options = wantsRetained ? 0 : Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue)
            let result = Self.withCStrings(filters) {
                mosquitto_subscribe_multiple(handle, &packet, Int32($0.count), $0.baseAddress, qos, options, nil)
            }
            subscriptions[packet] = (identifier, filters.count)
            check(result, errno)
        case .unsubscribe(let filters):
            let result = Self.withCStrings(filters) {
                mosquitto_unsubscribe_multiple(handle, nil, Int32($0.count), $0.baseAddress, nil)
            }
            check(result, errno)
        }
    }

    /// Whether the broker has acknowledged all published messages.
    var isAcknowledged: Bool { publications.isEmpty }

    func disconnect() {
        mosquitto_disconnect_v5(handle, 0, nil)
    }

    private func refuse(_ identifier: Int32, _ code: UInt8) {
        events.put(.acknowledged(identifier, refusal: ReasonCode.text(code), code: code))
    }

    // MARK: - Callbacks

    func noteConnected(_ code: UInt8, sessionPresent: Bool, _ properties: ReceivedProperties) {
        guard !isAccepted else { return fail(.protocol, "the broker accepted the connection twice") }
        // Codes below 0x80 belong to MQTT 3: the broker does not support MQTT 5.
        guard code == 0 else {
            let isOld = code < 0x80 || code == ReasonCode.unsupportedVersion
            let text = isOld ? "does not support MQTT 5" : "refuses the client: \(ReasonCode.text(code))"
            return fail(.refused, "the broker \(text)")
        }
        guard properties.byte(MQTT_PROP_RETAIN_AVAILABLE) != 0 else {
            return fail(.refused, "the broker does not support retained messages")
        }
        guard properties.byte(MQTT_PROP_MAXIMUM_QOS) != 0 else {
            return fail(.refused, "the broker does not support QoS 1")
        }
        isAccepted = true
        turnedAt = Clocks.boot()
        keepAlive = properties.int16(MQTT_PROP_SERVER_KEEP_ALIVE) ?? keepAlive
        events.put(.connected(sessionPresent: sessionPresent))
    }

    func noteDisconnected(_ code: Int32) {
        guard let code = UInt8(exactly: code), ReasonCode.isError(code) else { return }
        if code == ReasonCode.takenOver {
            fail(.takenOver, "session taken over: another client uses the identity '\(options.clientID)'")
        } else {
            fail(gone, "the broker ended the connection: \(ReasonCode.text(code))")
        }
    }

    func note(_ message: mosquitto_message, _ properties: ReceivedProperties) {
        let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(max(0, message.payloadlen)))
        events.put(
            .message(
                topic: message.topic.map { String(cString: $0) } ?? "", payload: Array(payload),
                isRetained: message.retain, expiry: properties.int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL)))
    }

    func noteSubscribed(_ packet: Int32, _ codes: [UInt8]) {
        guard let (identifier, count) = subscriptions.removeValue(forKey: packet), count == codes.count else {
            return fail(.protocol, "the broker acknowledged a subscription that was not requested")
        }
        events.put(.subscribed(identifier, codes: codes))
    }

    func notePublished(_ packet: Int32, _ code: UInt8) {
        guard let identifier = publications.removeValue(forKey: packet) else { return }
        let refusal = ReasonCode.isError(code) ? ReasonCode.text(code) : nil
        events.put(.acknowledged(identifier, refusal: refusal, code: code))
    }

    func noteProblem(_ text: String) {
        if problems.count < Self.problemLimit { problems.append(text) }
    }
}
