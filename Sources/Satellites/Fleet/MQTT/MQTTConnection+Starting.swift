// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CMosquitto
import Glibc
import ReveilleSystem

extension MQTTConnection {
    /// The certificates of this system on Debian, which are used without a CA file.
    static let systemCertificates = "/etc/ssl/certs"
    /// A path that is too long for a socket.
    ///
    /// Connecting there only sets the properties of the CONNECT.
    private static let nowhere = String(repeating: "x", count: UnixAddress.pathLimit + 1)
    /// libmosquitto initializes OpenSSL with its first connection, without regard to other threads.
    private static let connecting = Lock(())

    func start() throws(MQTTClient.Failure) {
        client = try makeClient()
        guard case .tcp(let host, _, _) = options.broker, !HostLookup.isNumeric(host) else { return try connect() }
        do throws(SystemError) {
            lookup = try HostLookup(host, on: loop) { [weak self] in self?.take($0) }
        } catch {
            throw MQTTClient.Failure(.unreachable, "\(error)")
        }
    }

    private func makeClient() throws(MQTTClient.Failure) -> MQTTClient {
        let client = try MQTTClient(options)
        if let will = options.will { try set(will, of: client) }
        if options.user != nil || options.password != nil {
            guard mosquitto_username_pw_set(client.handle, options.user, options.password) == MOSQ_ERR_SUCCESS.code
            else {
                throw MQTTClient.Failure(.protocol, "the user or the password is invalid")
            }
        }
        guard let tls = options.broker.tls else { return client }
        try tls.check()
        let result = mosquitto_tls_set(
            client.handle, tls.ca, tls.ca == nil ? Self.systemCertificates : nil, tls.certificate, tls.key,
            // Without a callback, OpenSSL asks for a passphrase on the terminal.
            { _, _, _, _ in -1 })
        // libmosquitto would connect without TLS.
        guard result == MOSQ_ERR_SUCCESS.code else {
            throw MQTTClient.Failure(
                .tls, "the files of TLS cannot be used: \(String(cString: mosquitto_strerror(result)))")
        }
        return client
    }

    private func set(_ will: Will, of client: MQTTClient) throws(MQTTClient.Failure) {
        var properties = MQTTProperties()
        properties.add(MQTT_PROP_WILL_DELAY_INTERVAL, will.delay)
        if let expiry = will.expiry { properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, expiry) }
        let result = mosquitto_will_set_v5(
            client.handle, will.topic, Int32(clamping: will.payload.count), will.payload, 1, true, properties.list)
        guard result == MOSQ_ERR_SUCCESS.code else {
            throw MQTTClient.Failure(.protocol, "the will has an invalid topic '\(will.topic)' or size")
        }
        // They belong to libmosquitto now.
        _ = properties.release()
    }

    /// Continues after the host was looked up, or reports why it is unknown.
    private func take(_ answer: HostLookup.Answer) {
        lookup = nil
        switch answer {
        case .problem(let problem): client?.fail(.unreachable, problem)
        case .found(let families):
            attempts.families = families
            connectNext()
        }
        deliver()
    }

    /// Connects to an address of the next family; it has its share of the time that is left.
    private func connectNext() {
        attempts.begin()
        timer?.fire(after: timeLeft / (attempts.families.count + 1))
        do throws(MQTTClient.Failure) { try connect() } catch { client?.fail(error.kind, error.reason) }
    }

    /// Tries the next family of addresses after none of this one could be connected; returns whether there is one.
    ///
    /// libmosquitto tries one address only, always the same one.
    func connectsAgain(after failure: MQTTClient.Failure) -> Bool {
        guard phase == .connecting, failure.kind == .unreachable, !activity.isEstablished,
            let next = try? makeClient(), attempts.fail(failure.reason)
        else { return false }
        stopWatching()
        client = next
        activity = Activity()
        connectNext()
        return true
    }

    /// Connects to a path or a host that is known, so that nothing blocks.
    private func connect() throws(MQTTClient.Failure) {
        guard let client else { return }
        var properties = MQTTProperties()
        properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, options.sessionExpiry)
        properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, UInt32(Self.packetLimit))
        let (result, code): (Int32, Int32)
        switch options.broker {
        case .unix(let path):
            result = mosquitto_connect_bind_v5(
                client.handle, path, 0, Int32(options.keepAlive), nil, properties.list)
            code = errno
        case .tcp(let host, let port, _):
            // Connecting without blocking takes no properties, but those of an earlier attempt.
            mosquitto_connect_bind_v5(
                client.handle, Self.nowhere, 0, Int32(options.keepAlive), nil, properties.list)
            (result, code) = Self.connecting.withLock { _ in
                (
                    mosquitto_connect_bind_async(
                        client.handle, host, Int32(port), Int32(options.keepAlive), attempts.origin), errno
                )
            }
        }
        client.keepTLS()
        if result != MOSQ_ERR_SUCCESS.code, result != MOSQ_ERR_CONN_PENDING.code { note(result, code) }
        if let failure = client.failure { throw failure }
        noteActivity()
        watch()
    }
}
