// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CPeers
import Glibc
import ReveilleTesting

/// The baseline: a loop in C that does nothing but read a message and send it to each subscriber.
struct BarePeer: Peer {
    static let argument = "bare-loop"
    let name = "bare loop"

    func command(in directory: TemporaryDirectory) -> [String] {
        [ChildProcess.sibling("ReveilleBench"), Self.argument, directory.path + "/socket"]
    }

    func subscribe(on connection: PeerConnection) throws {
        try connection.send("S")
        _ = try connection.receive(exactly: 1)
    }

    func prepareToPublish(on connection: PeerConnection) throws {
        try connection.send("P")
        _ = try connection.receive(exactly: 1)
    }

    func message(_ number: Int) -> [UInt8] { PeerPayload.bytes }

    /// Runs the loop in this process.
    static func run(_ arguments: [String]) throws {
        let code = c_peers_run_bare_loop(arguments.first ?? "")
        throw BenchError("the bare loop ended: \(String(cString: strerror(code)))")
    }
}
