// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// A new instance that takes over from an old one, with a supervisor that keeps the socket between them.
@Suite(.timeLimit(.minutes(1))) struct UpgradeTests {
    private let directory: TemporaryDirectory
    private let notifications: Int32
    private var socket: String { directory.path + "/bus" }

    init() throws {
        directory = try TemporaryDirectory()
        notifications = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = directory.path + "/notify"
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(notifications, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Trouble("bind \(path): error \(errno)") }
    }

    /// Starts an instance, with the socket that was kept, and waits until it says that it is ready.
    private func start(keeping kept: Int32? = nil) throws -> (process: ChildProcess, stored: Int32?) {
        let script = (kept == nil ? "" : "LISTEN_FDS=1 LISTEN_FDNAMES=varlink LISTEN_PID=$$ ") + #"exec "$0" "$@""#
        let process = try ChildProcess(
            ["sh", "-c", script, BusProcess.program, "serve", "--address", "unix:" + socket, "--root", directory.path],
            environment: ChildProcess.environment.merging(["NOTIFY_SOCKET": directory.path + "/notify"]) { $1 },
            descriptors: kept.map { [3: $0] } ?? [:])
        var stored: Int32?
        while true {
            let (text, descriptor) = try notification()
            if text.contains("FDSTORE=1") { stored = descriptor }
            if text.contains("READY=1") { return (process, stored) }
        }
    }

    /// What an instance tells, and the descriptor that comes with it (unix(7), SCM_RIGHTS).
    private func notification() throws -> (text: String, descriptor: Int32?) {
        var request = pollfd(fd: notifications, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 20_000) > 0 else { throw Trouble("no instance tells anything") }
        var text = [UInt8](repeating: 0, count: 4_096)
        var control = [UInt64](repeating: 0, count: 32)
        var count = 0
        text.withUnsafeMutableBytes { text in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: text.baseAddress, iov_len: text.count)
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    count = recvmsg(notifications, &message, Int32(MSG_CMSG_CLOEXEC))
                }
            }
        }
        guard count > 0 else { throw Trouble("recvmsg: error \(errno)") }
        // A header of its length, level and type comes before the descriptor.
        let header = control.withUnsafeBytes { $0.load(as: cmsghdr.self) }
        let descriptor = control.withUnsafeBytes { $0.load(fromByteOffset: MemoryLayout<cmsghdr>.size, as: Int32.self) }
        let hasDescriptor = header.cmsg_level == SOL_SOCKET && header.cmsg_type == Int32(SCM_RIGHTS)
        return (String(decoding: text[..<count], as: UTF8.self), hasDescriptor ? descriptor : nil)
    }

    @Test("B54: an upgrade in place refuses no connection, and positions go on", arguments: [SIGTERM, SIGKILL])
    func upgradeRefusesNobody(signal: Int32) throws {
        defer { close(notifications) }
        let (old, stored) = try start()
        let kept = try #require(stored, "the instance gives its socket to the supervisor")
        defer { close(kept) }
        let first = try RawClient(socket)
        let instance = try first.call("GetState").parameters["instance"]?.stringValue
        try first.call("Post", #"{"proximity":{"state":"near"}}"#)
        let deadline = Deadline(seconds: 10)
        while access(socket + ".state.json", F_OK) != 0, !deadline.hasPassed { deadline.pause() }

        var clients: [RawClient] = []
        func connect() throws {
            // A refusal would throw here.
            let client = try RawClient(socket)
            try client.send(#"{"method":"org.reveille.Bus.GetState"}"#)
            clients.append(client)
        }
        old.signal(signal)
        while !old.hasEnded { try connect() }
        for _ in 0..<20 { try connect() }
        let (new, storedAgain) = try start(keeping: kept)
        #expect(storedAgain == nil, "the supervisor has it already")
        for _ in 0..<20 { try connect() }
        // Those that the old one took and did not answer see it end; all that came later are answered.
        let answers = clients.map { try? $0.receive().parameters }
        #expect(answers.suffix(40).allSatisfy { $0?["instance"]?.stringValue == instance })
        let proximity = answers.last??["events"]?.arrayValue?.compactMap(\.objectValue).first {
            $0.aspect == "proximity"
        }
        #expect(proximity?.integer("generation") == 1)
        new.signal(SIGTERM)
        #expect(new.wait() == 0)
        #expect(access(socket, F_OK) == 0, "it is the supervisor's")
    }
}
