// SPDX-License-Identifier: Apache-2.0

import ReveilleMQTT
import ReveilleTesting
import Testing

@testable import ReveilleFleetCore

/// The packaged configuration and rules of mosquitto.
@Suite(.timeLimit(.minutes(10)), .enabled(if: MosquittoBroker.isAvailable, "no mosquitto in .build-mosquitto"))
struct MosquittoExampleTests {
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

    private func reader(_ name: String, as identifier: String = "r") throws -> MQTTConnection.Options {
        var tls = try readers.client(name)
        // The authority of the devices has signed the broker's own certificate.
        tls.ca = devices.ca
        return MQTTConnection.Options(broker: broker.readersAddress(tls), clientID: identifier)
    }

    @Test("each right in the table of Fleet.md is given, and no other right", arguments: RightsTable.clients)
    func rights(client: String) async throws {
        let rights = try RightsTable().rights(of: client)
        let seeder = try Peer()
        try await seeder.connect(MQTTConnection.Options(broker: broker.ungoverned, clientID: "seeder"))
        for topic in rights.keys { #expect(try await seeder.publish("seed", to: topic) == nil) }
        let options =
            switch client {
            case "device itself": try device("phone")
            case "other device": try device("evil")
            // Any name, except for the names in the table.
            case "reader": try reader("kitchen")
            default: try reader(client)
            }
        let peer = try Peer()
        try await peer.connect(options)
        // The answer to the second subscription follows what the broker keeps for the first one.
        try await peer.subscribe("#", qos: 0)
        try await peer.subscribe("last", qos: 0)
        #expect(await peer.topics == Set(rights.filter { $0.value.mayRead }.keys))
        for (topic, right) in rights {
            // A refused connection could hide the next refusal.
            try await peer.connect(options)
            let refusal = try await peer.publish("x", to: topic)
            #expect(refusal == (right.mayPublish ? nil : "not authorized"), "\(topic)")
        }
    }

    @Test("no reader becomes a device by its name", arguments: ["reader", "kitchen", "setter", "homeassistant"])
    func phantom(name: String) async throws {
        let peer = try Peer()
        for topic in ["state/battery", "status"].map({ "reveille/v1/\(name)/\($0)" })
            + ["homeassistant/device/reveille/\(name)/config"]
        {
            try await peer.connect(reader(name))
            #expect(try await peer.publish("x", to: topic) == "not authorized", "\(topic)")
        }
    }

    @Test("no device may replace the announcement of another one, whose escaped name is its own")
    func escapedAnnouncement() async throws {
        let evil = try Peer()
        for name in ["kiosk.7", "a_-b", "kiosk-7"] {
            let topic = Discovery.topic(of: try DeviceID(name))
            try await evil.connect(device(Discovery.escaped(name) == name ? "evil" : Discovery.escaped(name)))
            #expect(try await evil.publish("x", to: topic) == "not authorized", "\(topic)")
        }
        let own = try Peer()
        try await own.connect(device("kiosk-7"))
        #expect(try await own.publish("x", to: Discovery.topic(of: try DeviceID("kiosk-7"))) == nil)
    }

    @Test("a reader with the client identifier of a device does not take over its connection")
    func takeoverByReader() async throws {
        let phone = try Peer()
        let evil = try Peer()
        try await phone.connect(device("phone"))
        try await evil.connect(reader("kitchen", as: "phone"))
        #expect(try await phone.publish("still here", to: topic) == nil)
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
}
