// SPDX-License-Identifier: Apache-2.0

import ReveilleMQTT
import Testing

@Suite("A connection of which the broker refuses something", .timeLimit(.minutes(5)))
struct ConnectionRefusalTests {
    private let peer: Peer

    init() throws {
        peer = try Peer()
    }

    @Test(
        "a message that the topic rules do not permit is refused in words, and the connection goes on",
        .enabled(if: MosquittoBroker.isAvailable, "no mosquitto in .build-mosquitto"))
    func rules() async throws {
        let broker = try MosquittoBroker(rules: "topic readwrite own/+\n")
        try await peer.connect(MQTTConnection.Options(broker: broker.address(), clientID: "phone"))
        let sent = await peer.act { $0?.publish([1], to: "other/a", retain: true) }
        let identifier = try #require(sent)
        let refusal = try await peer.next("a refusal") { event in
            if case .acknowledged(identifier, let refusal?, ReasonCode.notAuthorized) = event { refusal } else { nil }
        }
        #expect(refusal == "not authorized")
        #expect(try await peer.publish("x", to: "own/a") == nil)
        try await peer.subscribe("own/+")
        #expect(try await peer.message().topic == "own/a")
    }

    @Test(
        "a client with the same identifier takes over, and the older connection ends",
        .enabled(if: MosquittoBroker.isAvailable, "no mosquitto in .build-mosquitto"))
    func takeover() async throws {
        let broker = try MosquittoBroker()
        let options = MQTTConnection.Options(broker: broker.address(), clientID: "phone")
        let other = try Peer()
        try await peer.connect(options)
        try await other.connect(options)
        let error = try await peer.end()
        // Some versions of mosquitto give the reason.
        #expect(error.kind == .takenOver || error.kind == .lost)
        #expect(error.description.hasPrefix("connection to \(broker.address()): "))
        #expect(try await other.publish("x", to: "t") == nil)
    }

    @Test("an acceptance that a client cannot use is refused in words")
    func uselessAcceptances() async throws {
        let broker = try FalseBroker()
        let cases: [([UInt8], String)] = [
            ([0x20, 3, 0, 0x87, 0], "the broker refuses the client: not authorized"),
            ([0x20, 3, 0, 0x85, 0], "the broker refuses the client: client identifier not valid"),
            ([0x20, 3, 0, 0xFF, 0], "the broker refuses the client: unknown reason"),
            ([0x20, 3, 0, 0x84, 0], "the broker does not support MQTT 5"),
            ([0x20, 3, 0, 5, 0], "the broker does not support MQTT 5"),
            ([0x20, 5, 0, 0, 2, 0x25, 0], "the broker does not support retained messages"),
            ([0x20, 5, 0, 0, 2, 0x24, 0], "the broker does not support QoS 1"),
        ]
        for (bytes, reason) in cases {
            try await peer.open(broker.options())
            try broker.accept()
            broker.send(bytes)
            let error = try await peer.end()
            #expect(error.kind == .refused)
            #expect(error.description == "connecting to \(broker.options().broker): \(reason)")
            #expect(broker.isLeft())
        }
    }

    @Test("a refusal of MQTT 3, which has no properties, is reported") func oldRefusal() async throws {
        let broker = try FalseBroker()
        try await peer.open(broker.options())
        try broker.accept()
        broker.send([0x20, 2, 0, 1])
        // Before version 2.1, libmosquitto recognizes it.
        #expect(try await peer.end().description.hasSuffix("support MQTT 5"))
        #expect(broker.isLeft())
    }

    @Test("a broker that refuses a subscription, or ends the connection before its answer, is reported")
    func refusedSubscription() async throws {
        let broker = try FalseBroker()
        try await peer.open(broker.options()) { connection, event in
            if case .connected = event { connection?.subscribe(to: ["a", "b"]) }
        }
        let identifier = try broker.welcome(until: FalseBroker.subscribe).prefix(2)
        broker.send([0x90, 5] + identifier + [0, 1, 0x87])
        let codes = try await peer.next("the codes") { event in
            if case .subscribed(_, let codes) = event { codes } else { nil }
        }
        #expect(codes == [1, 0x87])
        try await peer.open(broker.options())
        try broker.accept()
        broker.send([0xE0, 1, 0x89])
        let error = try await peer.end()
        #expect(error.kind == .unreachable)
        #expect(error.description.hasSuffix(": the broker ended the connection: server busy"))
    }

    @Test("a message that exceeds what the broker accepts is refused, and the connection goes on")
    func tooLarge() async throws {
        let broker = try FalseBroker()
        try await peer.open(broker.options())
        try broker.accept()
        // Packets of 50 bytes at most.
        broker.send([0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, 50])
        _ = try await peer.next("an acceptance") { event in
            if case .connected(let sessionPresent) = event { sessionPresent } else { nil }
        }
        #expect(try await peer.publish(String(repeating: "x", count: 100), to: "t/long") == "packet too large")
        #expect(try broker.packet().type == 0x10)
        let sent = await peer.act { $0?.publish([1], to: "t", retain: true) }
        let identifier = try #require(sent)
        let (type, body) = try broker.message()
        #expect(type == 0x33)
        // The identifier follows the topic.
        broker.send([0x40, 2] + body[3...4])
        let refusal = try await peer.next("an acknowledgement") { event -> String?? in
            if case .acknowledged(identifier, let refusal, _) = event { refusal } else { nil }
        }
        #expect(refusal == nil)
    }
}
