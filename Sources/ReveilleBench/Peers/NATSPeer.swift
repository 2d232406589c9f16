// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting

/// NATS, which listens on TCP only.
struct NATSPeer: Peer {
    let name = "NATS"
    private let port: UInt16

    init() throws { port = try Self.freePort() }

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

    /// Returns a port on which nothing listens.
    private static func freePort() throws -> UInt16 {
        let socket = OwnedDescriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.number, $0, size) == 0 ? getsockname(socket.number, $0, &size) : -1
            }
        }
        guard result == 0 else { throw SystemError("bind", on: "127.0.0.1") }
        return UInt16(bigEndian: name.sin_port)
    }
}
