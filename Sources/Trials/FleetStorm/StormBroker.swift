// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting

/// A mosquitto on a port of this machine, configured as Docs/Satellites/Fleet.md recommends.
///
/// A Unix socket with a full queue refuses connections; TCP tries again, as in a real network.
final class StormBroker {
    /// Where `Scripts/setup test` unpacks mosquitto.
    private static let root = ".build-mosquitto"
    /// The time in milliseconds in which mosquitto must accept connections.
    private static let patience = 20_000

    /// Holds the broker's configuration, and the files of devices and the reader.
    let directory: TemporaryDirectory
    let port: UInt16
    private var process: ChildProcess?

    init() throws {
        directory = try TemporaryDirectory()
        port = try Loopback.freePort()
        // As root, it would otherwise become a user that cannot access the directory.
        try directory.write(
            """
            listener \(port) 127.0.0.1
            allow_anonymous true
            max_queued_messages 0
            max_inflight_messages 1000
            connection_messages false
            log_dest none
            user root
            persistence false

            """, to: "mosquitto.conf")
        try start()
    }

    func start() throws {
        var environment = Environment.all
        environment["LD_LIBRARY_PATH"] = ["/usr/lib", "/lib"].flatMap { place in
            ["x86_64", "aarch64"].map { Self.root + place + "/\($0)-linux-gnu" }
        }
        .joined(separator: ":")
        process = try ChildProcess(
            [Self.root + "/usr/sbin/mosquitto", "-c", directory.path + "/mosquitto.conf"], environment: environment)
        for _ in 0..<Self.patience where !Loopback.accepts(port: port) {
            guard process?.hasEnded == false else {
                throw Broken("mosquitto has ended; run 'Scripts/setup test' first")
            }
            poll(nil, 0, 1)
        }
    }

    func kill() {
        process?.signal(SIGKILL)
        process?.wait()
    }
}
