// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting

/// mosquitto: MQTT 3.1.1 with QoS 0.
struct MosquittoPeer: Peer {
    let name = "mosquitto"

    func command(in directory: TemporaryDirectory) throws -> [String] {
        // As root, it would otherwise become a user that cannot access the directory.
        try directory.write(
            """
            listener 0 \(directory.path)/socket
            allow_anonymous true
            persistence false
            user root

            """, to: "mosquitto.conf")
        return ["mosquitto", "-c", directory.path + "/mosquitto.conf"]
    }

    func prepareToPublish(on connection: PeerConnection) throws {
        // CONNECT: protocol level 4, a clean session, no keep-alive, and an identifier that the broker chooses.
        try connection.send([0x10, 12, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, 0])
        _ = try connection.receive(exactly: 4)
    }

    func subscribe(on connection: PeerConnection) throws {
        try prepareToPublish(on: connection)
        let topic = Self.topic
        try connection.send([0x82, UInt8(topic.count + 3), 0, 1] + topic + [0])
        _ = try connection.receive(exactly: 5)
    }

    /// The topic with its length.
    private static let topic = [0, UInt8(PeerPayload.topic.utf8.count)] + Array(PeerPayload.topic.utf8)

    private static let publication: [UInt8] = {
        let length = topic.count + PeerPayload.size
        return [0x30, UInt8(length % 128) | 0x80, UInt8(length / 128)] + topic + PeerPayload.bytes
    }()

    func message(_ number: Int) -> [UInt8] { Self.publication }
}
