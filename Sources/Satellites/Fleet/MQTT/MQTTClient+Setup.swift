// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import ReveilleFleetCore

extension MQTTClient {
    /// The system's certificates on Debian, for clients without a CA file.
    static let systemCertificates = "/etc/ssl/certs"

    /// Returns the client of a callback.
    ///
    /// The client exists, since it makes all calls of libmosquitto.
    private static func client(_ userdata: UnsafeMutableRawPointer?) -> MQTTClient {
        guard let userdata else { preconditionFailure("callback without a client") }
        return Unmanaged<MQTTClient>.fromOpaque(userdata).takeUnretainedValue()
    }

    func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, userdata, code, flags, properties in
            MQTTClient.client(userdata).noteConnected(
                UInt8(truncatingIfNeeded: code), sessionPresent: flags & 1 != 0, ReceivedProperties(list: properties))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, userdata, code, _ in
            MQTTClient.client(userdata).noteDisconnected(code)
        }
        mosquitto_message_v5_callback_set(handle) { _, userdata, message, properties in
            guard let message = message?.pointee else { return }
            MQTTClient.client(userdata).note(message, ReceivedProperties(list: properties))
        }
        mosquitto_publish_v5_callback_set(handle) { _, userdata, packet, code, _ in
            MQTTClient.client(userdata).notePublished(packet, UInt8(truncatingIfNeeded: code))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, userdata, packet, count, codes, _ in
            let codes = UnsafeBufferPointer(start: codes, count: Int(max(0, count)))
            MQTTClient.client(userdata).noteSubscribed(packet, codes.map { UInt8(truncatingIfNeeded: $0) })
        }
        mosquitto_log_callback_set(handle) { _, userdata, level, text in
            let client = MQTTClient.client(userdata)
            // A fast broker answers while libmosquitto connects, and libmosquitto then releases the state of TLS before it
            // returns. It writes its log in between.
            client.keepTLS()
            if level == MOSQ_LOG_ERR, let text { client.noteProblem(String(cString: text)) }
        }
    }

    func setIdentity() throws(MQTTError) {
        if let will = options.will { try set(will) }
        let broker = options.broker
        if broker.user != nil || broker.password != nil {
            guard mosquitto_username_pw_set(handle, broker.user, broker.password) == MOSQ_ERR_SUCCESS.code else {
                throw error(.protocol, "the user or the password is invalid")
            }
        }
        guard broker.address.usesTLS else { return }
        if let problem = broker.problem { throw error(.tls, problem) }
        let result = mosquitto_tls_set(
            handle, broker.ca, broker.ca == nil ? Self.systemCertificates : nil, broker.certificate, broker.key,
            // Without a callback, OpenSSL asks for a passphrase on the terminal.
            { _, _, _, _ in -1 })
        // libmosquitto would connect without TLS.
        guard result == MOSQ_ERR_SUCCESS.code else {
            throw error(.tls, "the files of TLS cannot be used: \(String(cString: mosquitto_strerror(result)))")
        }
    }

    private func set(_ will: MQTTConnection.Will) throws(MQTTError) {
        var properties = MQTTProperties()
        properties.add(MQTT_PROP_WILL_DELAY_INTERVAL, will.delay)
        if let expiry = will.expiry { properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, expiry) }
        let result = mosquitto_will_set_v5(
            handle, will.topic, Int32(clamping: will.payload.count), will.payload, 1, true, properties.list)
        guard result == MOSQ_ERR_SUCCESS.code else {
            throw error(.protocol, "the will has an invalid topic '\(will.topic)' or size")
        }
        // The properties belong to libmosquitto now.
        _ = properties.release()
    }

    static func withCStrings(
        _ texts: [String], _ body: (UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        let copies = texts.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return copies.withUnsafeBufferPointer(body)
    }
}

extension mosq_err_t {
    var code: Int32 { Int32(rawValue) }
}
