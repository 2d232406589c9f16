// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// V44: sockets passed by a supervisor.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ActivationTests {
    /// Starts the bus with a socket as descriptor 3 and a shell expression as the value of LISTEN_PID.
    private func start(_ directory: TemporaryDirectory, socket: Int32, owner: String = "$$") throws -> RunningProgram {
        let script = #"LISTEN_FDS=1 LISTEN_FDNAMES=varlink LISTEN_PID=\#(owner) exec "$0" "$@""#
        let arguments = ["serve", "--address", "unix:\(directory.path)/own", "--root", directory.path]
        return try RunningProgram(
            ["-c", script, BusProcess.program] + arguments, program: "sh", in: directory, descriptors: [3: socket])
    }

    private func listener(_ directory: TemporaryDirectory) throws -> UnixListener {
        try UnixListener(at: UnixAddress("unix:\(directory.path)/bus"))
    }

    @Test func listeningSocketIsServedAndLeftInPlace() throws {
        let directory = try TemporaryDirectory()
        let listener = try listener(directory)
        defer { withExtendedLifetime(listener) {} }
        let service = try start(directory, socket: listener.number)
        let client = try RawClient(directory.path + "/bus")
        #expect(try client.call("GetState").error == nil)
        #expect(service.stop() == 0)
        #expect(access(directory.path + "/bus", F_OK) == 0, "the supervisor owns the socket")
        #expect(access(directory.path + "/own", F_OK) != 0)
        #expect(service.errors.contains("reveille: info: serving unix:\(directory.path)/bus\n"))
        #expect(access(directory.path + "/bus.state.json", F_OK) == 0, "the state is stored beside the socket")
    }

    @Test func logNamesTheAddressOfThePassedSocket() throws {
        let directory = try TemporaryDirectory()
        let listener = try listener(directory)
        defer { withExtendedLifetime(listener) {} }
        let service = try start(directory, socket: listener.number)
        #expect(try RawClient(directory.path + "/bus").call("GetState").error == nil)
        #expect(service.stop() == 0)
        #expect(service.errors.contains("reveille: info: serving unix:\(directory.path)/bus\n"))
        #expect(access(directory.path + "/bus.state.json", F_OK) == 0, "the state is stored beside the socket")
    }

    @Test func connectedSocketIsAPeer() throws {
        let directory = try TemporaryDirectory()
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let service = try start(directory, socket: ends[1])
        close(ends[1])
        let client = RawClient(descriptor: ends[0])
        #expect(try client.call("GetState").error == nil)
        #expect(service.stop() == 0)
        #expect(access(directory.path + "/own.state.json", F_OK) != 0, "the state belongs to the bus at this address")
    }

    @Test func socketsPassedToAnotherProcessAreIgnored() throws {
        let directory = try TemporaryDirectory()
        let listener = try listener(directory)
        defer { withExtendedLifetime(listener) {} }
        let service = try start(directory, socket: listener.number, owner: "1")
        // The socket exists for a moment before it accepts connections.
        try wait(for: "a bus") { (try? RawClient(directory.path + "/own")) != nil }
        #expect(try RawClient(directory.path + "/own").call("GetState").error == nil)
        #expect(service.stop() == 0)
    }
}
