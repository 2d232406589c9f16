// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleetCore
import ReveilleMQTT
import ReveilleSystem
import ReveilleTesting
import Testing

@Suite(
    "A connection with TLS", .timeLimit(.minutes(5)),
    .enabled(if: MosquittoBroker.isAvailable, "no mosquitto in .build-mosquitto"))
struct ConnectionTLSTests {
    private let peer: Peer
    private let authority: Certificates

    init() throws {
        peer = try Peer()
        authority = try Certificates()
    }

    private func options(
        _ broker: MosquittoBroker, _ tls: TLSFiles, host: String = "127.0.0.1"
    ) -> MQTTConnection.Options {
        MQTTConnection.Options(broker: broker.address(tls, host: host), clientID: "phone")
    }

    /// Fails to connect, and returns the reason without the address.
    private func reason(
        _ broker: MosquittoBroker, _ tls: TLSFiles, host: String = "127.0.0.1"
    ) async throws -> String {
        let error = try await peer.failure(options(broker, tls, host: host))
        #expect(error.kind == .tls, "\(error)")
        let action = "connecting to \(broker.address(tls, host: host)): "
        #expect(error.description.hasPrefix(action))
        return String(error.description.dropFirst(action.count))
    }

    private func expect(
        _ expected: String, _ broker: MosquittoBroker, _ tls: TLSFiles, host: String = "127.0.0.1",
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let reason = try await reason(broker, tls, host: host)
        #expect(reason == expected, sourceLocation: location)
    }

    @Test("certificates of one authority connect, by address and by name", arguments: ["127.0.0.1", "localhost"])
    func valid(host: String) async throws {
        let broker = try MosquittoBroker(.tls(authority.broker(), requiresCertificate: true))
        let tls = try authority.client("phone")
        #expect(try await peer.connect(options(broker, tls, host: host)) == false)
        #expect(try await peer.publish("x", to: "t") == nil)
    }

    @Test("a certificate of the broker that expired is named") func brokerExpired() async throws {
        let broker = try MosquittoBroker(.tls(authority.broker(isExpired: true), requiresCertificate: false))
        let tls = TLSFiles(ca: authority.ca)
        try await expect("the broker's certificate has expired", broker, tls)
    }

    @Test("a broker whose certificate another authority signed is refused") func brokerIsForeign() async throws {
        let foreign = try Certificates("foreign", beside: authority)
        let broker = try MosquittoBroker(.tls(foreign.broker(), requiresCertificate: false))
        let tls = TLSFiles(ca: authority.ca)
        try await expect("the broker's certificate is not signed by the CA file \(authority.ca)", broker, tls)
    }

    @Test("a broker with the certificate of another host is refused") func otherHost() async throws {
        let other = try authority.broker(names: "DNS:broker.example")
        let broker = try MosquittoBroker(.tls(other, requiresCertificate: false))
        let tls = TLSFiles(ca: authority.ca)
        for host in ["127.0.0.1", "localhost"] {
            try await expect("the broker's certificate is not for this host", broker, tls, host: host)
        }
    }

    @Test("a broker that refuses the certificate of the client, or that there is none, is reported so")
    func clientIsRefused() async throws {
        let broker = try MosquittoBroker(.tls(authority.broker(), requiresCertificate: true))
        // With TLS 1.3, libmosquitto loses the broker's reason, and may only notice the end of the connection.
        let none = try await peer.failure(options(broker, TLSFiles(ca: authority.ca)))
        #expect(none.description.contains(" certificate"), "\(none)")
        let old = try authority.client("old", isExpired: true)
        let expired = try await peer.failure(options(broker, old))
        #expect(expired.description.contains("the certificate \(old.certificate ?? "")"), "\(expired)")
        #expect(expired.description.hasSuffix(" expired"), "\(expired)")
        var stranger = try Certificates("foreign", beside: authority).client("stranger")
        stranger.ca = authority.ca
        let foreign = try await peer.failure(options(broker, stranger))
        #expect(foreign.description.contains("the certificate \(stranger.certificate ?? "")"), "\(foreign)")
        for error in [none, expired, foreign] {
            #expect(error.kind == .tls || error.kind == .unreachable)
            #expect(error.description.hasPrefix("connecting to mqtts://127.0.0.1:\(broker.port): the broker "))
        }
    }

    @Test("a file that cannot be used is named before anything is sent") func files() async throws {
        let broker = try MosquittoBroker(.tls(authority.broker(), requiresCertificate: true))
        let good = try authority.client("phone")
        let key = good.key ?? ""
        var tls = good
        tls.key = nil
        try await expect("a certificate and a key need each other", broker, tls)
        tls.key = key + ".missing"
        let missing = try await reason(broker, tls)
        #expect(missing.hasPrefix("the key cannot be read: ") && missing.contains("\(key).missing"))
        tls.key = authority.directory.path
        try await expect("the key cannot be read: \(authority.directory.path): not a file", broker, tls)
        tls.key = try authority.client("other").key
        try await expect(
            "the key \(tls.key ?? "") does not belong to the certificate \(good.certificate ?? "")", broker, tls)
        try authority.directory.write("no key", to: "garbage")
        let garbage = authority.directory.path + "/garbage"
        tls.key = garbage
        try await expect("the key \(garbage) is invalid", broker, tls)
        tls = good
        tls.certificate = garbage
        try await expect("the certificate \(garbage) is invalid", broker, tls)
        tls = good
        tls.ca = garbage
        try await expect("the CA file \(garbage) has no certificate", broker, tls)
        try authority.encrypt(good)
        try await expect("the key \(key) has a passphrase", broker, good)
    }

    @Test("a file that may not be read is named", .enabled(if: getuid() != 0, "root reads every file"))
    func unreadable() async throws {
        let broker = try MosquittoBroker(.tls(authority.broker(), requiresCertificate: true))
        let tls = try authority.client("phone")
        chmod(tls.key ?? "", 0)
        #expect(try await reason(broker, tls).hasPrefix("the key cannot be read: "))
    }

    @Test("a peer that does not speak TLS, or closes the connection during the handshake, is named as such")
    func noTLS() async throws {
        let broker = try FalseBroker()
        let options = broker.options(TLSFiles(ca: authority.ca))
        for (answer, kind, reason) in [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", .tls, "the broker does not use TLS on this port"),
            ("", .unreachable, "the broker closed the connection during the handshake"),
        ] as [(String, MQTTError.Kind, String)] {
            try await peer.open(options)
            try broker.accept()
            broker.send(answer.utf8)
            broker.finish()
            let error = try await peer.end()
            #expect(error.kind == kind)
            #expect(error.description == "connecting to \(options.broker): \(reason)")
            #expect(broker.isLeft())
        }
        try await peer.open(options)
        try broker.accept()
        broker.end(withReset: true)
        let error = try await peer.end()
        #expect(error.kind == .unreachable)
        #expect(error.description.hasPrefix("connecting to \(options.broker): "))
    }

    @Test("at a port that nobody listens on, there is no broker") func refusedPort() async throws {
        let broker = FleetBroker(port: try Loopback.freePort(), TLSFiles(ca: authority.ca))
        let error = try await peer.failure(MQTTConnection.Options(broker: broker, clientID: "phone"))
        #expect(error.kind == .unreachable)
        #expect(Peer.refusals(by: broker).contains(error.description), "\(error)")
    }

    @Test("a broker without TLS on the port closes the connection during the handshake") func plainBroker() async throws
    {
        let broker = try MosquittoBroker(.tcp)
        let error = try await peer.failure(options(broker, TLSFiles(ca: authority.ca)))
        #expect(error.kind == .tls || error.kind == .unreachable)
        #expect(error.description.contains("the broker closed the connection"), "\(error)")
    }

    @Test(
        "a broker that ends after its acceptance is lost, and no certificate is blamed", arguments: [SIGTERM, SIGKILL])
    func brokerEnds(signal: Int32) async throws {
        let broker = try MosquittoBroker(.tls(authority.broker(), requiresCertificate: true))
        let options = try options(broker, authority.client("phone"))
        try await peer.connect(options)
        // What the broker has not read makes its end a reset.
        broker.process.signal(SIGSTOP)
        try wait(for: "the broker to stop") { broker.process.isStopped }
        await peer.act { _ = $0?.publish([1], to: "t", retain: true) }
        broker.process.signal(signal)
        broker.process.signal(SIGCONT)
        let error = try await peer.end()
        #expect(error.kind == .lost)
        #expect(error.description.hasPrefix("connection to \(options.broker): the broker "), "\(error)")
        #expect(!error.description.contains("certificate"))
    }
}
