// SPDX-License-Identifier: Apache-2.0

import ReveilleMQTT
import ReveilleSystem
import Testing

@Suite(.timeLimit(.minutes(10)), .enabled(if: MosquittoBroker.isAvailable, "no mosquitto in .build-mosquitto"))
struct ConnectionTests {
    private let peer: Peer

    init() throws {
        peer = try Peer()
    }

    private func options(_ broker: MosquittoBroker, _ identity: String = "phone") -> MQTTConnection.Options {
        MQTTConnection.Options(broker: broker.address(), clientID: identity)
    }

    @Test("a message is published, acknowledged and received by TCP and by a socket", arguments: [true, false])
    func messageIsReceived(isUnix: Bool) async throws {
        let broker = try MosquittoBroker(isUnix ? .unix : .tcp)
        #expect(try await peer.connect(options(broker)) == false)
        #expect(try await peer.subscribe("a/#", "b", qos: 1) == [1, 1])
        #expect(try await peer.publish("hello", to: "a/1", expiry: 1_000) == nil)
        let message = try await peer.message()
        #expect(message == Peer.Received(topic: "a/1", text: "hello", isRetained: false, expiry: 1_000))
    }

    @Test("a retained message comes later with what is left of its expiry") func retainedMessageIsReceived()
        async throws
    {
        let broker = try MosquittoBroker()
        try await peer.connect(options(broker))
        try await peer.publish("old", to: "t")
        try await peer.publish("new", to: "t", expiry: 500)
        try await peer.subscribe("t")
        let message = try await peer.message()
        #expect(message.text == "new" && message.isRetained)
        #expect(message.expiry.map { (490...500).contains($0) } == true)
        await peer.act { $0?.unsubscribe(from: ["t"]) }
        // Its acknowledgement comes after a message that a subscription would deliver.
        try await peer.publish("unseen", to: "t")
        try await peer.subscribe("u")
        try await peer.publish("seen", to: "u")
        #expect(try await peer.message().text == "seen")
    }

    @Test("a session that the broker knows is reported, unless it is to be forgotten") func sessionIsReported()
        async throws
    {
        let broker = try MosquittoBroker()
        var options = options(broker)
        options.cleanStart = false
        options.sessionExpiry = 100
        #expect(try await peer.connect(options) == false)
        await peer.act { $0?.disconnect() }
        #expect(try await peer.connect(options) == true)
        await peer.act { $0?.close() }
        options.cleanStart = true
        #expect(try await peer.connect(options) == false)
    }

    @Test("the broker publishes the will of a connection that is closed, but not after a DISCONNECT")
    func willIsPublished() async throws {
        let broker = try MosquittoBroker()
        let reader = try Peer()
        try await reader.connect(options(broker, "reader"))
        try await reader.subscribe("status")
        var options = options(broker)
        options.sessionExpiry = 100
        options.will = MQTTConnection.Will(topic: "status", payload: Array("gone".utf8), delay: 1, expiry: 77)
        try await peer.connect(options)
        await peer.act { $0?.disconnect() }
        try await peer.connect(options)
        try await peer.publish("here", to: "status")
        #expect(try await reader.message().text == "here")
        await peer.act { $0?.close() }
        let will = try await reader.message()
        #expect(will == Peer.Received(topic: "status", text: "gone", isRetained: false, expiry: 77))
    }

    @Test("what was published before a disconnection arrives, even if the connection is released at once")
    func lastWordsArrive() async throws {
        let broker = try MosquittoBroker(lines: ["max_inflight_messages 0", "max_queued_messages 0"])
        let reader = try Peer()
        try await reader.connect(options(broker, "reader"))
        try await reader.subscribe("t")
        var options = options(broker)
        options.will = MQTTConnection.Will(topic: "t", payload: Array("lost".utf8))
        try await peer.connect(options)
        // More than the socket holds.
        let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
        await peer.act { connection in
            for _ in 0..<5 { connection?.publish(payload, to: "t", retain: false) }
            connection?.disconnect()
        }
        await peer.release()
        for _ in 0..<5 { #expect(try await reader.message().text.utf8.count == payload.count) }
        try await reader.publish("end", to: "t")
        #expect(try await reader.message().text == "end", "no will")
    }

    @Test("a connection may be closed and released within each of its events") func closingWithinEvents() async throws {
        let broker = try MosquittoBroker()
        for event in 0..<4 {
            let counter = Counter()
            try await peer.open(options(broker)) { connection, _ in
                if counter.next() > event { return connection?.close() ?? () }
                connection?.subscribe(to: ["t"])
                connection?.publish([1], to: "t", retain: false)
            }
            for _ in 0...event { _ = try await peer.next("an event") { _ in true } }
            await peer.release()
        }
    }

    @Test("a broker that is killed is lost, and can be reached after its restart with what it kept")
    func brokerIsKilled() async throws {
        let broker = try MosquittoBroker(.tcp, isPersistent: true)
        try await peer.connect(options(broker))
        try await peer.publish("kept", to: "t")
        try wait(for: "the broker to save") { broker.hasSaved }
        broker.kill()
        let error = try await peer.end()
        #expect(error.kind == .lost)
        #expect(error.description == "connection to \(broker.address()): the broker closed the connection")
        let refused = try await peer.failure(options(broker))
        #expect(refused.kind == .unreachable)
        #expect(Peer.refusals(by: broker.address()).contains(refused.description), "\(refused)")
        try broker.restart()
        try await peer.connect(options(broker))
        try await peer.subscribe("t")
        #expect(try await peer.message().text == "kept")
    }

    /// Counts from 1; used on one loop.
    private final class Counter: Sendable {
        private let value = Lock(0)
        func next() -> Int {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }
}
