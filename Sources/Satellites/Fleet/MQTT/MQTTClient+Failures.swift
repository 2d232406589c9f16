// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
package import ReveilleFleetCore
import ReveilleSystem

extension MQTTClient {
    /// The kind of error when the connection ends without a reason, before or after the broker has accepted the client.
    var gone: MQTTError.Kind { isAccepted ? .lost : .unreachable }

    /// The reason "closed by the broker", with a suspicion if the certificate may be the cause.
    var closing: String {
        let text = "the broker closed the connection"
        guard !isAccepted, options.broker.address.usesTLS else { return text }
        // The end of the connection may have come with the end of the handshake.
        let hasShakenHands = tls.map { SSL_get_finished($0, nil, 0) > 0 } ?? false
        return text + (hasShakenHands ? "; \(options.broker.suspicion)" : " during the handshake")
    }

    /// If a function of libmosquitto failed, notes the reason from its result and the error number.
    func check(_ result: Int32, _ code: Int32) {
        guard failure == nil, result != MOSQ_ERR_SUCCESS.code else { return }
        if options.broker.address.usesTLS, !isAccepted,
            result == MOSQ_ERR_TLS.code || result == MOSQ_ERR_ERRNO.code && (code == EPROTO || !problems.isEmpty)
        {
            let isEnd = problems.contains { $0.contains("unexpected eof") }
            return isEnd ? fail(.unreachable, closing) : fail(.tls, tlsReason)
        }
        switch result {
        // A broker that checks the certificate after the handshake resets the connection if bytes are unread.
        case MOSQ_ERR_ERRNO.code where code == ECONNRESET && !isAccepted: fail(gone, closing)
        // Since version 2.1, libmosquitto replaces the reason by this number.
        case MOSQ_ERR_ERRNO.code where code == EBADF: fail(gone, "the broker cannot be reached")
        case MOSQ_ERR_EAI.code where code == EBADF: fail(.unreachable, "the name of the broker has no address")
        // OpenSSL reports a reset connection as EPROTO.
        case MOSQ_ERR_ERRNO.code where code != 0 && code != EPIPE && code != EPROTO:
            fail(gone, String(cString: strerror(code)))
        case MOSQ_ERR_CONN_LOST.code, MOSQ_ERR_NO_CONN.code, MOSQ_ERR_ERRNO.code: fail(gone, closing)
        case MOSQ_ERR_KEEPALIVE.code: fail(.lost, "the broker did not answer a ping")
        case MOSQ_ERR_EAI.code: fail(.unreachable, String(cString: gai_strerror(code)))
        case MOSQ_ERR_INVAL.code: fail(.protocol, "an address, a topic or the keep-alive is invalid")
        case MOSQ_ERR_TLS.code: fail(.tls, "TLS failed")
        case MOSQ_ERR_NOMEM.code: fail(gone, "out of memory")
        // Since version 2.1, libmosquitto does not recognize the refusal of a broker that supports only MQTT 3.
        case MOSQ_ERR_MALFORMED_PACKET.code where !isAccepted:
            fail(.protocol, "the broker's answer is invalid; it may not support MQTT 5")
        default: fail(.protocol, "the broker sent an invalid packet")
        }
    }

    private static let otherHost = "the broker's certificate is not for this host"

    /// Why TLS failed, by the error messages of libmosquitto and OpenSSL.
    private var tlsReason: String {
        let broker = options.broker
        let text = problems.joined(separator: "\n")
        // The words of libmosquitto before version 2.1.
        if text.contains("host name verification failed") { return Self.otherHost }
        if text.contains("certificate verify failed") { return rejection }
        let key = "the key \(broker.key ?? "")"
        let known = [
            ("Unable to load CA", "the CA file \(broker.ca ?? Self.systemCertificates) has no certificate"),
            ("Unable to load client certificate", "the certificate \(broker.certificate ?? "") is invalid"),
            ("key values mismatch", "\(key) does not belong to \(broker.identity)"),
            ("are inconsistent", "\(key) does not belong to \(broker.identity)"),
            ("bad password read", "\(key) has a passphrase"),
            ("problems getting password", "\(key) has a passphrase"),
            ("interrupted or cancelled", "\(key) has a passphrase"),
            ("Unable to load client key", "\(key) is invalid"),
            ("wrong version number", "the broker does not use TLS on this port"),
        ].first { text.contains($0.0) }
        if let known { return known.1 }
        guard let last = problems.last?.split(separator: ":").last else {
            // With TLS 1.3, the broker answers after the handshake, and libmosquitto loses the answer.
            return "the broker refuses \(broker.identity)\(broker.validity.map { ": it \($0)" } ?? "")"
        }
        // The last part of: OpenSSL Error[0]: error:0A000415:SSL routines::sslv3 alert certificate expired
        let words = last.split(separator: " ")
        guard let alert = words.firstIndex(of: "alert") else { return "TLS failed: \(last)" }
        return "the broker refuses \(broker.identity): \(words[(alert + 1)...].joined(separator: " "))"
    }

    /// Why the broker's certificate was rejected, according to X509_STORE_CTX_get_error(3).
    private var rejection: String {
        let code = tls.map { SSL_get_verify_result($0) } ?? 0
        return switch code {
        case 9: "the broker's certificate is not valid yet; the clock of this machine may be wrong"
        case 10: "the broker's certificate has expired"
        case 62, 64: Self.otherHost
        case 2, 18, 19, 20, 21, 24:
            "the broker's certificate is not signed by \(options.broker.ca.map { "the CA file \($0)" } ?? "a CA of this system")"
        // The chain is right; OpenSSL does not keep the cause of the rejection.
        case 0: "the broker's certificate was rejected"
        default:
            "the broker's certificate was rejected: "
                + (X509_verify_cert_error_string(code).map { String(cString: $0) } ?? "unknown reason")
        }
    }
}

extension FleetBroker {
    /// The largest file in bytes; the certificates of all authorities on Debian have a tenth of it.
    private static let fileLimit = 4_194_304

    /// The identity that this client shows to the broker.
    var identity: String { certificate.map { "the certificate \($0)" } ?? "a client without a certificate" }

    /// Why the files of TLS cannot be used, since libmosquitto does not name an unreadable file; `nil` if they can.
    package var problem: String? {
        guard (certificate == nil) == (key == nil) else { return "a certificate and a key need each other" }
        for (name, path) in [("CA file", ca), ("certificate", certificate), ("key", key)] {
            guard let path else { continue }
            do throws(RequiredFile.Unusable) {
                _ = try RequiredFile.read(path, limit: Self.fileLimit)
            } catch {
                return "the \(name) cannot be read: \(error)"
            }
        }
        return nil
    }

    /// Why a broker may have closed the connection after the handshake without giving a reason.
    var suspicion: String {
        guard certificate != nil else { return "it may require a certificate" }
        return validity.map { "\(identity) \($0)" } ?? "it may refuse \(identity)"
    }

    /// Why the client's own certificate is not valid now; `nil` if it is.
    var validity: String? {
        guard let certificate, let file = BIO_new_file(certificate, "r") else { return nil }
        defer { BIO_free(file) }
        guard let own = PEM_read_bio_X509(file, nil, nil, nil) else { return nil }
        defer { X509_free(own) }
        if X509_cmp_current_time(X509_get0_notAfter(own)) < 0 { return "has expired" }
        let isEarly = X509_cmp_current_time(X509_get0_notBefore(own)) > 0
        return isEarly ? "is not valid yet; the clock of this machine may be wrong" : nil
    }
}
