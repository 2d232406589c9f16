// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CMosquitto
import ReveilleSystem

extension MQTTConnection.TLS {
    /// The largest file in bytes; the certificates of all authorities on Debian have a tenth of it.
    private static let fileLimit = 4_194_304

    /// Checks that the files can be read.
    func check() throws(MQTTClient.Failure) {
        guard (certificate == nil) == (key == nil) else {
            throw MQTTClient.Failure(.tls, "a certificate and a key need each other")
        }
        for (name, path) in [("CA file", ca), ("certificate", certificate), ("key", key)] {
            guard let path else { continue }
            let problem: String
            switch FileContents.read(path, limit: Self.fileLimit) {
            case .bytes: continue
            case .missing: problem = "does not exist"
            case .notAFile: problem = "is not a file"
            case .tooLarge(let limit): problem = "exceeds \(limit) bytes"
            case .unreadable(let error): problem = "cannot be read: \(error)"
            }
            throw MQTTClient.Failure(.tls, "the \(name) \(path) \(problem)")
        }
    }

    /// Returns why TLS failed.
    ///
    /// - Parameters:
    ///   - problems: The error messages of libmosquitto and OpenSSL.
    ///   - verification: Why OpenSSL rejected the certificate of the broker, or 0.
    ///   - broker: The broker.
    /// - Returns: The reason in words.
    func reason(_ problems: [String], _ verification: Int, _ broker: MQTTConnection.Endpoint) -> String {
        let text = problems.joined(separator: "\n")
        if text.contains("host name verification failed") {
            return "the broker's certificate is not for this host"
        }
        if text.contains("certificate verify failed") { return rejection(verification) }
        let own = certificate.map { "the certificate \($0)" } ?? "a client without a certificate"
        let words: [(String, String)] = [
            ("Unable to load CA", "the CA file \(ca ?? MQTTConnection.systemCertificates) has no certificate"),
            ("Unable to load client certificate", "the certificate \(certificate ?? "") is invalid"),
            ("key values mismatch", "the key \(key ?? "") does not belong to \(own)"),
            ("are inconsistent", "the key \(key ?? "") does not belong to \(own)"),
            ("bad password read", "the key \(key ?? "") has a passphrase"),
            ("problems getting password", "the key \(key ?? "") has a passphrase"),
            ("interrupted or cancelled", "the key \(key ?? "") has a passphrase"),
            ("Unable to load client key", "the key \(key ?? "") is invalid"),
            ("alert certificate required", "the broker requires a certificate"),
            ("alert certificate expired", "the broker refuses \(own): it has expired"),
            ("alert certificate revoked", "the broker refuses \(own): it was revoked"),
            ("alert unknown ca", "the broker refuses \(own): it is not signed by a CA of the broker"),
            ("alert bad certificate", "the broker refuses \(own)"),
            ("alert unsupported certificate", "the broker refuses \(own)"),
            ("alert handshake failure", "the broker refuses the handshake; it may require a certificate"),
            ("wrong version number", "the broker does not use TLS on this port"),
            ("unexpected eof", "the broker closed the connection during the handshake"),
        ]
        if let known = words.first(where: { text.contains($0.0) }) { return known.1 }
        guard !problems.isEmpty else {
            // With TLS 1.3, the broker answers after the handshake, and libmosquitto loses what it says.
            return "the broker refuses \(own)\(validity.map { ": it \($0)" } ?? "")"
        }
        // The last part of: OpenSSL Error[0]: error:0A000126:SSL routines::unexpected message
        let last = problems.last?.split(separator: ":").last ?? "unknown"
        return "TLS failed: \(last)"
    }

    /// Why a broker may have closed the connection after the handshake, without a reason that has arrived.
    var suspicion: String {
        guard let certificate else { return "it may require a certificate" }
        return validity.map { "the certificate \(certificate) \($0)" } ?? "it may refuse the certificate \(certificate)"
    }

    /// Why the own certificate cannot be accepted at this time, or `nil`.
    private var validity: String? {
        guard let certificate, let file = BIO_new_file(certificate, "r") else { return nil }
        defer { BIO_free(file) }
        guard let own = PEM_read_bio_X509(file, nil, nil, nil) else { return nil }
        defer { X509_free(own) }
        if X509_cmp_current_time(X509_get0_notAfter(own)) < 0 { return "has expired" }
        let isEarly = X509_cmp_current_time(X509_get0_notBefore(own)) > 0
        return isEarly ? "is not valid yet; the clock of this machine may be wrong" : nil
    }

    /// Returns why the certificate of the broker was rejected, by a number of X509_STORE_CTX_get_error(3).
    private func rejection(_ verification: Int) -> String {
        switch verification {
        case 9: "the broker's certificate is not valid yet; the clock of this machine may be wrong"
        case 10: "the broker's certificate has expired"
        case 2, 18, 19, 20, 21, 24:
            "the broker's certificate is not signed by \(ca.map { "the CA file \($0)" } ?? "a CA of this system")"
        case 23: "the broker's certificate was revoked"
        // The chain is right, and the rejection has a cause that OpenSSL does not keep.
        case 0: "the broker's certificate was rejected"
        default: "the broker's certificate was rejected: \(MQTTClient.text(ofVerification: verification))"
        }
    }
}
