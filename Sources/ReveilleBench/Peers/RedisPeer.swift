// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting

/// Redis: `PUBLISH` to a channel, without persistence.
struct RedisPeer: Peer {
    let name = "Redis"

    func command(in directory: TemporaryDirectory) -> [String] {
        [
            "redis-server", "--port", "0", "--unixsocket", directory.path + "/socket", "--dir", directory.path,
            "--save", "", "--appendonly", "no", "--maxclients", "12000",
        ]
    }

    func subscribe(on connection: PeerConnection) throws {
        try connection.send("SUBSCRIBE \(PeerPayload.topic)\r\n")
        try connection.receive(through: ":1\r\n")
    }

    private static let publication =
        Array("*3\r\n$7\r\nPUBLISH\r\n$5\r\n\(PeerPayload.topic)\r\n$\(PeerPayload.size)\r\n".utf8)
        + PeerPayload.bytes + Array("\r\n".utf8)

    func message(_ number: Int) -> [UInt8] { Self.publication }
}
