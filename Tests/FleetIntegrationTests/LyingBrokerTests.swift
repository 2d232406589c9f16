// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleMQTT
import ReveilleSystem
import Testing

@Suite("A connection to a broker that lies", .timeLimit(.minutes(5)))
struct LyingBrokerTests {
    /// A message with the topic "mark".
    private static let mark: [UInt8] = [0x30, 7, 0, 4, 0x6D, 0x61, 0x72, 0x6B, 0]

    private let peer: Peer
    private let broker: FalseBroker

    init() throws {
        peer = try Peer()
        broker = try FalseBroker()
    }

    @Test(
        "a packet that MQTT does not permit ends the connection at once",
        arguments: [
            ("no answer to a CONNECT", [0xC0, 0]), ("no type", [0, 0]),
            ("an endless length", [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("an acceptance that is too short", [0x20, 1, 0]),
            ("another client identifier", [0x20, 7, 0, 0, 4, 0x12, 0, 1, 0x78]),
            ("two acceptances", FalseBroker.welcome + FalseBroker.welcome),
            ("a DISCONNECT without a reason", FalseBroker.welcome + [0xE0, 0]),
        ] as [(String, [UInt8])])
    func lie(what: String, bytes: [UInt8]) async throws {
        try await peer.open(broker.options())
        try broker.accept()
        broker.send(bytes)
        try await expectProtocolError(what)
    }

    @Test(
        "a packet that MQTT does not permit ends an established connection at once",
        arguments: [
            ("an acknowledgement of another subscription", [0x90, 5, 0, 99, 0, 0, 0]),
            ("too few reason codes", [0x90, 4, 0, 1, 0, 0]), ("too many reason codes", [0x90, 6, 0, 1, 0, 0, 0, 0]),
            ("an identifier of 0", [0x40, 2, 0, 0]), ("an empty topic", [0x30, 4, 0, 0, 0, 0x78]),
            ("a topic with a NUL", [0x30, 5, 0, 2, 0x61, 0, 0]),
            ("a topic that is not UTF-8", [0x30, 5, 0, 2, 0x61, 0xC3, 0]),
            ("a topic that is longer than its packet", [0x30, 4, 0, 99, 0x61, 0]),
            ("a repeated property", [0x30, 8, 0, 1, 0x61, 4, 1, 0, 1, 0]),
            ("a property of another packet", [0x30, 6, 0, 1, 0x61, 2, 0x24, 1]),
            ("a message at QoS 3", [0x36, 6, 0, 1, 0x61, 0, 1, 0]), ("a packet of a client", [0x10, 0]),
        ] as [(String, [UInt8])])
    func laterLie(what: String, bytes: [UInt8]) async throws {
        try await peer.open(broker.options()) { connection, event in
            if case .connected = event { connection?.subscribe(to: ["a", "b"]) }
        }
        #expect(try broker.welcome(until: FalseBroker.subscribe).prefix(2) == [0, 1])
        broker.send(bytes)
        try await expectProtocolError(what)
    }

    private func expectProtocolError(_ what: String) async throws {
        let error = try await peer.end()
        #expect(error.kind == .protocol, "\(what): \(error)")
        #expect(broker.isLeft())
    }

    @Test(
        "a packet that is useless but permitted changes nothing",
        arguments: [
            ("an acknowledgement of nothing", [0x40, 2, 0, 99]), ("a refusal of nothing", [0x40, 3, 0, 99, 0x87]),
            ("receipts of nothing", [0x50, 2, 0, 99, 0x62, 2, 0, 99, 0x70, 2, 0, 99]),
            ("the end of no subscription", [0xB0, 4, 0, 99, 0, 0x11]), ("an answer to no ping", [0xD0, 0]),
            (
                "the longest topic",
                [0x30, 0x82, 0x80, 4, 0xFF, 0xFF] + [UInt8](repeating: 0x78, count: 65_535) + [0]
            ),
        ] as [(String, [UInt8])])
    func uselessPacket(what: String, bytes: [UInt8]) async throws {
        try await peer.open(broker.options())
        try broker.accept()
        broker.send(FalseBroker.welcome + bytes + Self.mark)
        var topics = [""]
        while topics.last != "mark" { topics.append(try await peer.message().topic) }
        #expect(topics.count <= 3, "\(what)")
    }

    @Test(
        "a packet that MQTT does not permit, but libmosquitto before 2.1 accepts, changes nothing or ends the connection",
        arguments: [
            ("a topic alias", [0x30, 7, 0, 1, 0x61, 3, 0x23, 0, 1]),
            ("a topic that is a pattern", [0x30, 4, 0, 1, 0x23, 0]),
        ] as [(String, [UInt8])])
    func toleratedLie(what: String, bytes: [UInt8]) async throws {
        try await peer.open(broker.options())
        try broker.accept()
        broker.send(FalseBroker.welcome + bytes + Self.mark)
        try await peer.next("the end or a mark after \(what)") { event in
            switch event {
            case .ended, .message("mark", _, _, _): ()
            default: nil
            }
        }
    }

    @Test("a broker that sends DISCONNECT is lost, with each reason in words")
    func disconnects() async throws {
        for code in [0x00, 0x04] + Array(UInt8(0x80)...0xA3) {
            try await peer.open(broker.options())
            try broker.accept()
            broker.send(FalseBroker.welcome + [0xE0, 1, code])
            let error = try await peer.end()
            let reason =
                switch code {
                case 0x00, 0x04: "the broker closed the connection"
                case 0x8E: "session taken over: another client uses the identity 'phone'"
                default: "the broker ended the connection: \(ReasonCode.text(code))"
                }
            #expect(error.description == "connection to \(broker.options().broker): \(reason)")
            #expect(error.kind == (code == 0x8E ? .takenOver : .lost))
            #expect(broker.isLeft())
        }
    }
}
