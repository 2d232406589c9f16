// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleTesting
import ReveilleWire
import Varlink

/// The bus as users run it: `reveille serve`, with room for many subscribers.
///
/// A message is a posted state of the proximity sensor, so that nothing is read from devices or files.
struct ReveillePeer: Peer {
    let name = "Reveille"
    /// The path of `reveille`.
    var program = ChildProcess.sibling("reveille")
    /// The byte that ends a Varlink message.
    let lastByte: UInt8 = 0

    func command(in directory: TemporaryDirectory) throws -> [String] {
        try directory.write(
            "{ bus: { connections: 20000, connectionsPerUser: 20000 } }", to: "configuration.json5")
        return [
            program, "serve", "--address", "unix:\(directory.path)/socket",
            "--config", "\(directory.path)/configuration.json5", "--root", directory.path,
        ]
    }

    func subscribe(on connection: PeerConnection) throws {
        _ = try subscription(on: connection, isInBackground: false)
    }

    /// Subscribes, and returns the subscription's name.
    func subscription(
        on connection: PeerConnection, to aspects: AspectSet = .proximity, policies: [Aspect: Policy] = [:],
        isInBackground: Bool
    ) throws -> String {
        let request = SubscriptionRequest(aspects: aspects, startsInBackground: isInBackground, policies: policies)
        try connection.send(Call(.subscribe(request)).encoded())
        let reply = try Reply(parsing: connection.receive(through: "\0").dropLast())
        guard let name = reply.parameters["subscription"]?.stringValue else {
            throw BenchError("a reply without a subscription: \(reply)")
        }
        return name
    }

    private static let messages = [Proximity.near, .far].map { Call(.post(.proximity($0)), isOneway: true).encoded() }

    func message(_ number: Int) -> [UInt8] { Self.messages[number % 2] }
}
