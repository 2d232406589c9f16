// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A new process that replaces an old one while a supervisor keeps the socket open.
@Suite(.blocking, .timeLimit(.minutes(10))) struct UpgradeTests {
    private let directory: TemporaryDirectory
    private let supervisor: NotifySocket
    private var socket: String { directory.path + "/bus" }

    init() throws {
        directory = try TemporaryDirectory()
        supervisor = try NotifySocket(directory.path + "/notify")
    }

    private func start(keeping kept: Int32? = nil) throws -> (process: ChildProcess, stored: Int32?) {
        let script = (kept == nil ? "" : "LISTEN_FDS=1 LISTEN_FDNAMES=varlink LISTEN_PID=$$ ") + #"exec "$0" "$@""#
        let process = try ChildProcess(
            ["sh", "-c", script, BusProcess.program, "serve", "--address", "unix:" + socket, "--root", directory.path],
            environment: Environment.all.merging(["NOTIFY_SOCKET": supervisor.path]) { $1 },
            descriptors: kept.map { [3: $0] } ?? [:])
        var stored: Int32?
        while true {
            let (text, descriptor) = try supervisor.next()
            if text.contains("FDSTORE=1") { stored = descriptor }
            if text.contains("READY=1") { return (process, stored) }
        }
    }

    @Test("B54: an upgrade in place refuses no connection and keeps positions", arguments: [SIGTERM, SIGKILL])
    func upgradeRefusesNoConnection(signal: Int32) throws {
        let (old, stored) = try start()
        let kept = try #require(stored, "the process stores its socket with the supervisor")
        defer { close(kept) }
        let first = try RawClient(socket)
        let instance = try first.instance()
        try first.call("Post", #"{"proximity":{"state":"near"}}"#)
        try wait(for: "the state to be saved") { access(socket + ".state.json", F_OK) == 0 }

        var clients: [RawClient] = []
        func connect() throws {
            // A refused connection throws here.
            let client = try RawClient(socket)
            try client.send(#"{"method":"org.reveille.Bus.GetState"}"#)
            clients.append(client)
        }
        old.signal(signal)
        while !old.hasEnded { try connect() }
        for _ in 0..<20 { try connect() }
        let (new, storedAgain) = try start(keeping: kept)
        #expect(storedAgain == nil, "the supervisor already has the socket")
        for _ in 0..<20 { try connect() }
        // The old process may close connections without a reply; all later connections get one.
        let answers = clients.map { try? $0.receive().parameters }
        #expect(answers.suffix(40).allSatisfy { $0?["instance"]?.stringValue == instance })
        let proximity = answers.last??.events.first { $0.aspect == "proximity" }
        #expect(proximity?.integer("generation") == 1)
        new.signal(SIGTERM)
        #expect(new.wait() == 0)
        #expect(access(socket, F_OK) == 0, "the supervisor owns the socket")
    }
}
