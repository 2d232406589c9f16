// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting

/// A broker that delivers what a publisher sends to any number of subscribers.
///
/// The clients of all peers are the same few system calls; a peer only supplies the bytes.
protocol Peer {
    /// The name in tables and plots.
    var name: String { get }

    /// The last byte of a delivered message, which occurs nowhere else in it.
    var lastByte: UInt8 { get }

    /// Returns the program with its arguments, which runs until it is killed, after writing its configuration into a
    /// directory.
    func command(in directory: TemporaryDirectory) throws -> [String]

    /// Returns the address for subscribers.
    func address(in directory: TemporaryDirectory) -> PeerAddress

    /// Returns the address for publishers.
    func publisherAddress(in directory: TemporaryDirectory) -> PeerAddress

    /// Subscribes on a new connection, and waits for the reply if the protocol has one.
    func subscribe(on connection: PeerConnection) throws

    /// Prepares a new connection for publishing.
    func prepareToPublish(on connection: PeerConnection) throws

    /// Returns a call that publishes a message; consecutive numbers are different states.
    func message(_ number: Int) -> [UInt8]
}

extension Peer {
    var lastByte: UInt8 { PeerPayload.lastByte }

    func address(in directory: TemporaryDirectory) -> PeerAddress { .unix(directory.path + "/socket") }

    func publisherAddress(in directory: TemporaryDirectory) -> PeerAddress { address(in: directory) }

    func prepareToPublish(on connection: PeerConnection) throws {}
}

/// The message that all peers but Reveille deliver, whose event is a posted state of about the same size.
enum PeerPayload {
    static let size = 200
    static let lastByte: UInt8 = 0x7F
    static let bytes = Array(repeating: UInt8(ascii: "x"), count: size - 1) + [lastByte]
    /// The subject, topic or channel.
    static let topic = "bench"
}

/// The peers of a benchmark.
enum Peers {
    /// The first is the baseline; the second is the bus.
    static func all() throws -> [any Peer] {
        [
            BarePeer(), ReveillePeer(), RedisPeer(), try NATSPeer(), MosquittoPeer(), DBusPeer(), ZeroMQPeer(),
        ]
    }
}
