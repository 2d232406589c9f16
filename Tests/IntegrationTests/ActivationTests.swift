// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// V44: sockets passed by a supervisor.
@Suite(.timeLimit(.minutes(10))) struct ActivationTests {
    /// Starts the bus with a socket as descriptor 3 and a shell expression as the value of LISTEN_PID.
    private func start(
        _ directory: TemporaryDirectory, socket: Int32, owner: String = "$$", log: Int32 = STDERR_FILENO
    ) throws -> ChildProcess {
        let script = #"LISTEN_FDS=1 LISTEN_FDNAMES=varlink LISTEN_PID=\#(owner) exec "$0" "$@""#
        let arguments = ["serve", "--address", "unix:\(directory.path)/own", "--root", directory.path]
        return try ChildProcess(
            ["sh", "-c", script, BusProcess.program] + arguments, environment: ChildProcess.environment,
            descriptors: [3: socket, 2: log])
    }

    private func listener(_ path: String) -> Int32 {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        listen(number, 8)
        return number
    }

    @Test func listeningSocketIsServedAndLeftInPlace() throws {
        let directory = try TemporaryDirectory()
        let number = listener(directory.path + "/bus")
        defer { close(number) }
        let process = try start(directory, socket: number)
        let client = try RawClient(directory.path + "/bus")
        #expect(try client.call("GetState").error == nil)
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
        #expect(access(directory.path + "/bus", F_OK) == 0, "the supervisor owns the socket")
        #expect(access(directory.path + "/own", F_OK) != 0)
    }

    @Test func logNamesTheAddressOfThePassedSocket() throws {
        let directory = try TemporaryDirectory()
        let number = listener(directory.path + "/bus")
        defer { close(number) }
        let log = open(directory.path + "/log", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let process = try start(directory, socket: number, log: log)
        close(log)
        #expect(try RawClient(directory.path + "/bus").call("GetState").error == nil)
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
        #expect(directory.read("log").contains("reveille: info: serving unix:\(directory.path)/bus\n"))
        #expect(access(directory.path + "/bus.state.json", F_OK) == 0, "the state is stored beside the socket")
    }

    @Test func connectedSocketIsAPeer() throws {
        let directory = try TemporaryDirectory()
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = try start(directory, socket: ends[1])
        close(ends[1])
        let client = RawClient(descriptor: ends[0])
        #expect(try client.call("GetState").error == nil)
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }

    @Test func socketsPassedToAnotherProcessAreIgnored() throws {
        let directory = try TemporaryDirectory()
        let number = listener(directory.path + "/bus")
        defer { close(number) }
        let process = try start(directory, socket: number, owner: "1")
        let deadline = Deadline(seconds: 10)
        // The socket exists for a moment before it accepts connections.
        var client: RawClient?
        while client == nil, !deadline.hasPassed {
            client = try? RawClient(directory.path + "/own")
            deadline.pause()
        }
        #expect(try client?.call("GetState").error == nil)
        #expect(client != nil)
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }
}
