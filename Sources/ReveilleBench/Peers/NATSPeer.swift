// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting

/// NATS, which listens on TCP only.
struct NATSPeer: Peer {
    let name = "NATS"
    private let port: UInt16

    init() throws { port = try Loopback.freePort() }

    func command(in directory: TemporaryDirectory) -> [String] {
        ["nats-server", "--addr", "127.0.0.1", "--port", "\(port)"]
    }

    func address(in directory: TemporaryDirectory) -> PeerAddress { .loopback(port) }

    func subscribe(on connection: PeerConnection) throws {
        try greet(connection, "SUB \(PeerPayload.topic) 1\r\n")
    }

    func prepareToPublish(on connection: PeerConnection) throws {
        try greet(connection, "")
    }

    private func greet(_ connection: PeerConnection, _ command: String) throws {
        try connection.send(#"CONNECT {"verbose":false,"pedantic":false}"# + "\r\n" + command + "PING\r\n")
        try connection.receive(through: "PONG\r\n")
    }

    private static let publication =
        Array("PUB \(PeerPayload.topic) \(PeerPayload.size)\r\n".utf8) + PeerPayload.bytes + Array("\r\n".utf8)

    func message(_ number: Int) -> [UInt8] { Self.publication }
}
