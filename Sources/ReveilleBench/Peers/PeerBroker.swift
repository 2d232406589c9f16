// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting

/// A running peer, which ends with its owner.
final class PeerBroker {
    /// The time after which a peer that does not listen is given up.
    private static let patience: Int64 = 10_000_000_000
    /// The pause between attempts to connect, in milliseconds.
    private static let pause: Int32 = 10

    let peer: any Peer
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Starts a peer, and waits until it listens.
    ///
    /// - Parameters:
    ///   - peer: The peer.
    ///   - tool: A program with its arguments that runs the peer, if any.
    ///   - output: The descriptor for its stderr; by default, it is discarded.
    /// - Throws: `BenchError` if the program ends, or the error of the last attempt to connect.
    init(_ peer: any Peer, under tool: [String] = [], output: Int32? = nil) throws {
        self.peer = peer
        directory = try TemporaryDirectory(forSocket: "/socket")
        let null = OwnedDescriptor(open("/dev/null", O_WRONLY | O_CLOEXEC))
        let command = try tool + peer.command(in: directory)
        // A benchmark that is interrupted leaves no process behind.
        process = try ChildProcess(
            ["setpriv", "--pdeathsig", "KILL"] + command, descriptors: [1: null.number, 2: output ?? null.number])
        let end = MonotonicClock.now + Self.patience * (tool.isEmpty ? 1 : 6)
        while true {
            do {
                _ = try PeerConnection(peer.address(in: directory))
                _ = try PeerConnection(peer.publisherAddress(in: directory))
                return
            } catch {
                guard !process.hasEnded else { throw BenchError("\(command[0]) ended with \(process.wait())") }
                guard MonotonicClock.now < end else { throw error }
                poll(nil, 0, Self.pause)
            }
        }
    }

    /// The address for subscribers.
    var address: PeerAddress { peer.address(in: directory) }

    /// What the peer uses.
    var usage: ProcessUsage { ProcessUsage(pid: process.pid) }

    /// Connects a subscriber.
    func subscriber() throws -> PeerConnection {
        let connection = try connection()
        try peer.subscribe(on: connection)
        return connection
    }

    /// Connects a client that has not sent anything.
    func connection() throws -> PeerConnection { try PeerConnection(peer.address(in: directory)) }

    /// Connects a publisher.
    func publisher() throws -> PeerConnection {
        let connection = try PeerConnection(peer.publisherAddress(in: directory))
        try peer.prepareToPublish(on: connection)
        return connection
    }

    /// Ends the peer with SIGTERM, and waits for it.
    func stop() {
        process.signal(SIGTERM)
        process.wait()
    }
}
