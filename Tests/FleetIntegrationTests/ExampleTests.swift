// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleMQTT
import ReveilleTesting
import Testing

/// The packaged configuration and rules of mosquitto.
@Suite(.timeLimit(.minutes(10)), .enabled(if: MosquittoBroker.isAvailable, "no mosquitto in .build-mosquitto"))
struct ExampleTests {
    private let devices: Certificates
    private let readers: Certificates
    private let broker: MosquittoBroker
    private let topic = "reveille/v1/phone/state/battery"

    init() throws {
        devices = try Certificates()
        readers = try Certificates("readers", beside: devices)
        broker = try MosquittoBroker(.example(ExampleFiles(devices: devices, readers: readers)))
    }

    private func device(_ name: String) throws -> MQTTConnection.Options {
        MQTTConnection.Options(broker: broker.address(try devices.client(name)), clientID: name)
    }

    private func reader(_ identifier: String) throws -> MQTTConnection.Options {
        var tls = try readers.client("reader")
        // The broker's own certificate is that of the devices' authority.
        tls.ca = devices.ca
        return MQTTConnection.Options(broker: broker.readersAddress(tls), clientID: identifier)
    }

    @Test("a device publishes its own states, which a reader receives") func states() async throws {
        let phone = try Peer()
        let reader = try Peer()
        try await phone.connect(device("phone"))
        #expect(try await phone.publish("full", to: topic) == nil)
        #expect(try await phone.publish("x", to: "reveille/v1/phone/desired/org.example.a") == "not authorized")
        try await reader.connect(self.reader("r1"))
        try await reader.subscribe("reveille/v1/+/state/+")
        #expect(try await reader.message().text == "full")
        #expect(try await reader.publish("x", to: topic) == "not authorized")
    }

    @Test("a device with the client identifier of another one does not take over its connection")
    func takeover() async throws {
        let phone = try Peer()
        let evil = try Peer()
        try await phone.connect(device("phone"))
        var options = try device("evil")
        options.clientID = "phone"
        try await evil.connect(options)
        #expect(try await phone.publish("still here", to: topic) == nil)
        #expect(try await evil.publish("x", to: topic) == "not authorized")
    }

    @Test("a device is refused where readers connect") func deviceAmongReaders() async throws {
        var tls = try devices.client("phone")
        tls.ca = devices.ca
        let peer = try Peer()
        let error = try await peer.failure(
            MQTTConnection.Options(broker: broker.readersAddress(tls), clientID: "phone"))
        #expect(error.kind == .tls || error.kind == .unreachable, "\(error)")
    }

    @Test("several readers share one name") func severalReaders() async throws {
        let first = try Peer()
        let second = try Peer()
        try await first.connect(reader("r1"))
        try await second.connect(reader("r2"))
        #expect(try await first.publish("x", to: "reveille/v1/reader/r1/mark", retain: false) == nil)
    }
}
