// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CMosquitto
import Glibc

/// A client of libmosquitto, and what its callbacks reported.
///
/// Callbacks only take notes: nothing outside runs within a call of libmosquitto, which may therefore be released
/// at any time. Loop thread only.
final class MQTTClient {
    /// Why the connection has ended.
    struct Failure: Error {
        let kind: MQTTError.Kind
        let reason: String

        init(_ kind: MQTTError.Kind, _ reason: String) {
            self.kind = kind
            self.reason = reason
        }
    }

    /// The most error messages of libmosquitto and OpenSSL that are kept; a failed handshake has two or three.
    private static let problemLimit = 8
    /// The beginning of a message in the log about a PUBLISH, before its flag of a repetition and its QoS: `1, q2`.
    private static let published = "received PUBLISH (d"
    /// The message in the log about an AUTH.
    private static let authentication = "received AUTH"
    /// Initializes libmosquitto, which must happen once.
    ///
    /// It is never cleaned up: that would release what OpenSSL shares
    /// with other threads, and the process is about to end anyway.
    private static let isInitialized = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.code

    let handle: OpaquePointer
    /// The connection of TLS, which libmosquitto releases with the reason for a failure.
    private(set) var tls: UnsafeMutableRawPointer?
    /// The length of a message in the log before its verb: `Client ID `.
    private let prefix: Int
    private let clientID: String
    /// What has happened since the events were taken.
    var events: [MQTTConnection.Event] = []
    /// The first reason for the end of the connection.
    private(set) var failure: Failure?
    /// Error messages of libmosquitto and OpenSSL.
    private(set) var problems: [String] = []
    /// The number of complete packets received and sent.
    private(set) var received = 0
    private(set) var sent = 0
    /// Whether the broker has accepted the client.
    private(set) var isAccepted = false
    /// The keep-alive in seconds, which the broker may change.
    private(set) var keepAlive: UInt16
    /// Whether the last PUBLISH was marked as a repetition, which only the log reports.
    private var isDuplicate = false
    /// The number of filters in subscriptions that have not been acknowledged.
    var subscriptions: [Int32: Int] = [:]
    /// The messages at QoS 1 that have not been acknowledged.
    var publications: Set<Int32> = []
    /// The number of answers and messages, which show that the broker does more than answer pings.
    private(set) var answered = 0

    init(_ options: MQTTConnection.Options) throws(Failure) {
        guard Self.isInitialized, let handle = mosquitto_new(options.clientID, options.cleanStart, nil) else {
            throw Failure(.protocol, "the client identifier '\(options.clientID)' is invalid")
        }
        self.handle = handle
        clientID = options.clientID
        prefix = "Client \(options.clientID) ".utf8.count
        keepAlive = options.keepAlive
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        let settings = [
            (MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5),
            (MOSQ_OPT_RECEIVE_MAXIMUM, Int32(max(1, options.receiveMaximum))),
            // Messages are few and small, and wait for nothing.
            (MOSQ_OPT_TCP_NODELAY, 1),
        ]
        for (option, value) in settings where mosquitto_int_option(handle, option, value) != MOSQ_ERR_SUCCESS.code {
            throw Failure(.protocol, "libmosquitto does not support option \(option.rawValue)")
        }
        setCallbacks()
    }

    deinit {
        if let tls { SSL_free(tls) }
        mosquitto_destroy(handle)
    }

    /// The descriptor, or -1 if there is none.
    var socket: Int32 { mosquitto_socket(handle) }

    /// What the end of the connection without a reason is: that of an attempt, or of a connection.
    var gone: MQTTError.Kind { isAccepted ? .lost : .unreachable }

    /// Notes why the connection has ended, unless a reason is known.
    func fail(_ kind: MQTTError.Kind, _ reason: @autoclosure () -> String) {
        if failure == nil { failure = Failure(kind, reason()) }
    }

    /// Keeps the connection of TLS, if there is one.
    func keepTLS() {
        guard tls == nil, let current = mosquitto_ssl_get(handle), SSL_up_ref(current) == 1 else { return }
        tls = current
    }

    // MARK: - Callbacks

    func noteConnected(_ code: UInt8, sessionPresent: Bool, _ properties: ReceivedProperties) {
        guard !isAccepted else { return fail(.protocol, "the broker accepted the connection twice") }
        // Codes below 0x80 are those of MQTT 3, whose brokers answer so.
        guard code == 0 else {
            let text = code < 0x80 ? "does not support MQTT 5" : "refuses the client: \(ReasonCode.text(code))"
            return fail(.refused, "the broker \(text)")
        }
        guard properties.byte(MQTT_PROP_RETAIN_AVAILABLE) != 0 else {
            return fail(.refused, "the broker does not support retained messages")
        }
        guard properties.byte(MQTT_PROP_MAXIMUM_QOS) != 0 else {
            return fail(.refused, "the broker does not support QoS 1")
        }
        guard properties.int16(MQTT_PROP_RECEIVE_MAXIMUM) != 0 else {
            return fail(.protocol, "the broker announced a receive maximum of 0")
        }
        isAccepted = true
        keepAlive = properties.int16(MQTT_PROP_SERVER_KEEP_ALIVE) ?? keepAlive
        events.append(.connected(sessionPresent: sessionPresent))
    }

    func noteDisconnected(_ code: Int32) {
        guard let code = UInt8(exactly: code), ReasonCode.isError(code) else { return }
        if code == ReasonCode.takenOver {
            fail(.takenOver, "session taken over: another client uses the identity '\(clientID)'")
        } else {
            fail(gone, "the broker ended the connection: \(ReasonCode.text(code))")
        }
    }

    func note(_ message: mosquitto_message, _ properties: ReceivedProperties) {
        guard message.payloadlen <= MQTTConnection.packetLimit else {
            return fail(.protocol, "the broker sent a message of \(message.payloadlen) bytes")
        }
        let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(max(0, message.payloadlen)))
        answered += 1
        events.append(
            .message(
                topic: message.topic.map { String(cString: $0) } ?? "", payload: Array(payload),
                isRetained: message.retain, isDuplicate: isDuplicate,
                expiry: properties.int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL)))
    }

    func noteSubscribed(_ identifier: Int32, _ codes: [UInt8]) {
        guard subscriptions.removeValue(forKey: identifier) == codes.count else {
            return fail(.protocol, "the broker acknowledged a subscription that was not requested")
        }
        answered += 1
        events.append(.subscribed(identifier, codes: codes))
    }

    func notePublished(_ identifier: Int32, _ code: UInt8) {
        if publications.remove(identifier) != nil { answered += 1 }
        let refusal = ReasonCode.isError(code) ? ReasonCode.text(code) : nil
        events.append(.acknowledged(identifier, refusal: refusal, code: code))
    }

    /// Whether a request has not been answered.
    var awaitsAnswer: Bool { !subscriptions.isEmpty || !publications.isEmpty }

    /// Takes notes of what no callback reports of a packet.
    private func noteReceived(_ text: UnsafePointer<CChar>) {
        received += 1
        // libmosquitto ignores most of them, although no client of this library requests them.
        if strcmp(text, Self.authentication) == 0 { fail(.protocol, "the broker demands another authentication") }
        let length = strlen(Self.published)
        guard strncmp(text, Self.published, length) == 0, strlen(text) > length + 4 else { return }
        isDuplicate = text[length] == CChar(bitPattern: UInt8(ascii: "1"))
        // No subscription requests it, and libmosquitto would keep any number of such messages.
        if text[length + 4] == CChar(bitPattern: UInt8(ascii: "2")) {
            fail(.protocol, "the broker sent a message at QoS 2")
        }
    }

    /// Takes notes of packets, which no callback reports, and of errors.
    func noteLog(_ level: Int32, _ text: UnsafePointer<CChar>) {
        if level == MOSQ_LOG_DEBUG {
            guard strlen(text) > prefix else { return }
            switch UInt8(bitPattern: text[prefix]) {
            case UInt8(ascii: "r"): noteReceived(text + prefix)
            case UInt8(ascii: "s"): sent += 1
            default: break
            }
        } else if level == MOSQ_LOG_ERR, problems.count < Self.problemLimit {
            problems.append(String(cString: text))
        }
    }
}

extension mosq_err_t {
    /// The result of a function.
    var code: Int32 { Int32(rawValue) }
}
