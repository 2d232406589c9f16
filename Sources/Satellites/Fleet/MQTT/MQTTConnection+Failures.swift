// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CMosquitto
import Glibc
import ReveilleSystem

extension MQTTConnection {
    /// Returns an error that names the broker.
    func error(_ failure: MQTTClient.Failure) -> MQTTError {
        let action = client?.isAccepted == true ? "connection to" : "connecting to"
        return MQTTError(failure.kind, "\(action) \(options.broker): \(attempts.complete(failure.reason))")
    }

    /// That the broker closed the connection, with a suspicion if that may be its answer to the certificate.
    var closing: String {
        let text = "the broker closed the connection"
        guard let client, !client.isAccepted, let tls = options.broker.tls else { return text }
        return text + (client.isShakingHands ? " during the handshake" : "; \(tls.suspicion)")
    }

    /// What an error number of the socket says.
    ///
    /// A broker that judges the certificate after the handshake resets the connection if it has unread bytes then.
    func reason(_ code: Int32) -> String {
        code == ECONNRESET && client?.isAccepted == false ? closing : String(cString: strerror(code))
    }

    /// Notes why a function of libmosquitto failed, with its result and the error number that it left.
    func note(_ result: Int32, _ code: Int32) {
        guard let client, client.failure == nil else { return }
        let gone = client.gone
        if let tls = options.broker.tls, !client.isAccepted,
            result == MOSQ_ERR_TLS.code || result == MOSQ_ERR_ERRNO.code && (code == EPROTO || !client.problems.isEmpty)
        {
            let isEnd = client.problems.contains { $0.contains("unexpected eof") }
            return client.fail(
                isEnd ? .unreachable : .tls, tls.reason(client.problems, client.verification, options.broker))
        }
        switch result {
        // OpenSSL reports a connection that was reset as EPROTO.
        case MOSQ_ERR_ERRNO.code where code != 0 && code != EPIPE && code != EPROTO: client.fail(gone, reason(code))
        case MOSQ_ERR_CONN_LOST.code, MOSQ_ERR_NO_CONN.code, MOSQ_ERR_ERRNO.code:
            client.fail(gone, closing)
        case MOSQ_ERR_KEEPALIVE.code: client.fail(.lost, "the broker did not answer a ping")
        case MOSQ_ERR_EAI.code: client.fail(gone, String(cString: gai_strerror(code)))
        case MOSQ_ERR_INVAL.code: client.fail(.unreachable, "the address or keep-alive is invalid")
        case MOSQ_ERR_TLS.code: client.fail(.tls, "TLS failed")
        case MOSQ_ERR_NOMEM.code: client.fail(gone, "out of memory")
        default: client.fail(.protocol, "the broker sent an invalid packet")
        }
    }
}

extension MQTTClient {
    /// Why OpenSSL rejected the certificate of the broker (X509_STORE_CTX_get_error(3)); 0 if that is unknown.
    var verification: Int { tls.map { SSL_get_verify_result($0) } ?? 0 }

    /// Returns a reason for which a certificate was rejected in words.
    static func text(ofVerification code: Int) -> String {
        X509_verify_cert_error_string(code).map { String(cString: $0) } ?? "unknown reason"
    }

    /// Whether the handshake of TLS has begun and is incomplete.
    var isShakingHands: Bool {
        guard let ssl = mosquitto_ssl_get(handle) else { return false }
        return SSL_is_init_finished(ssl) == 0
    }
}
