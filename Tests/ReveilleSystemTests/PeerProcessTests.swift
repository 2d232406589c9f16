// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// The processes of peers, which may have changed their user since they connected.
@Suite(.timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "requires root")) struct PeerProcessTests {
    /// Connects as a user, and becomes root; after a byte from the bus, it becomes that user for good.
    private static let script = """
        import os, signal, socket, sys
        user = int(sys.argv[2])
        os.seteuid(user)
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(sys.argv[1])
        os.seteuid(0)
        peer.send(b"r")
        peer.recv(1)
        os.setresuid(user, user, user)
        peer.send(b"u")
        signal.pause()
        """
    private static let user: UInt32 = 64_123

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func receive(from stream: UnixStream) throws -> UnixStream.Outcome {
        try #require(try Readiness.wait(stream.number, for: .readable, atMost: .seconds(60)))
        return try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try stream.read(into: $0) }
    }

    @Test("a process that has become another user's since it connected receives no SIGTERM from root's bus")
    func processOfAnotherUserIsNotTerminated() throws {
        chmod(directory.path, 0o755)
        let listener = try UnixListener(at: UnixAddress("unix:\(directory.path)/bus"))
        chmod(directory.path + "/bus", 0o666)
        let child = try ChildProcess(["python3", "-c", Self.script, directory.path + "/bus", "\(Self.user)"])
        defer { child.signal(SIGKILL) }
        try #require(try Readiness.wait(listener.number, for: .readable, atMost: .seconds(60)))
        guard case .connection(let stream) = try listener.accept() else { throw SystemError("accept", code: EAGAIN) }
        let process = try PeerProcess(of: stream)
        #expect(process.user == Self.user)

        // It runs as root now, as with sudo.
        #expect(try receive(from: stream) == .bytes(1))
        let error = #expect(throws: SystemError.self) { try process.terminate() }
        #expect(error?.code == EPERM)
        #expect(error?.description.contains("process \(child.pid)") == true)
        #expect(!process.hasEnded)

        #expect(try stream.write([0].span) == .bytes(1))
        #expect(try receive(from: stream) == .bytes(1))
        try process.terminate()
        #expect(child.wait() == 128 + SIGTERM)
        #expect(throws: SystemError.self) { try process.terminate() }
    }
}
