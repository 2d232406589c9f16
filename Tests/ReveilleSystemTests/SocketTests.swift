// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// Sockets in the file system, and the gate that reports whether a peer has read.
@Suite(.timeLimit(.minutes(10))) struct SocketTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func address(_ name: String = "bus") throws -> UnixAddress {
        try UnixAddress("unix:\(directory.path)/\(name)")
    }

    private func connect(_ listener: UnixListener) throws -> (client: UnixStream, server: UnixStream) {
        let client = try UnixStream(connectingTo: address())
        guard case .connection(let server) = try listener.accept() else { throw SystemError("accept", code: EAGAIN) }
        return (client, server)
    }

    private func read(_ stream: UnixStream, _ count: Int) throws -> UnixStream.Outcome {
        try withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { try stream.read(into: $0) }
    }

    @Test("a listener does not remove a socket that has replaced its own")
    func replacedSocketIsNotRemoved() throws {
        let path = directory.path + "/bus"
        var first: UnixListener? = try UnixListener(at: address())
        #expect(rename(path, path + ".aside") == 0)
        let second = try UnixListener(at: address("other"))
        #expect(rename(directory.path + "/other", path) == 0)
        withExtendedLifetime(first) { first = nil }
        #expect(access(path, F_OK) == 0)
        withExtendedLifetime(second) {}
    }

    @Test("a read takes a bounded number of messages with descriptors, and the next ones take the rest in order")
    func messagesWithDescriptorsAreBounded() throws {
        let (client, server) = try connect(UnixListener(at: address()))
        let bytes = (0..<100).map { UInt8($0) }
        for byte in bytes { try send(byte, withDescriptorOn: client) }
        var received: [UInt8] = []
        var reads = 0
        repeat {
            let outcome = try server.read(atMost: 16_384) { part in
                received += part.indices.map { part[$0] }
            }
            guard case .bytes(let count) = outcome else { break }
            #expect(count <= 32)
            reads += 1
        } while server.isInterrupted
        #expect(received == bytes)
        #expect(reads == 4)
        let written = try client.write([7, 8].span)
        #expect(written == .bytes(2))
        #expect(try read(server, 16) == .bytes(2))
        #expect(!server.isInterrupted)
    }

    /// Sends a byte with a file descriptor.
    private func send(_ byte: UInt8, withDescriptorOn stream: UnixStream) throws {
        var byte = byte
        let size = MemoryLayout<cmsghdr>.size
        var control = [UInt64](repeating: 0, count: size / 8 + 1)
        var header = cmsghdr()
        (header.cmsg_len, header.cmsg_level, header.cmsg_type) = (size + 4, SOL_SOCKET, Int32(SCM_RIGHTS))
        control.withUnsafeMutableBytes {
            $0.storeBytes(of: header, as: cmsghdr.self)
            $0.storeBytes(of: stream.number, toByteOffset: size, as: Int32.self)
        }
        let count = control.withUnsafeMutableBytes { control in
            withUnsafeMutablePointer(to: &byte) { byte in
                var part = iovec(iov_base: byte, iov_len: 1)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    (message.msg_iov, message.msg_iovlen) = (part, 1)
                    (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
                    return sendmsg(stream.number, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
        guard count == 1 else { throw SystemError("sendmsg") }
    }

    @Test func gateOpensWhenEverythingHasBeenRead() throws {
        let (client, server) = try connect(UnixListener(at: address()))
        #expect(server.isAllRead)
        let written = try server.write([1, 2, 3, 4].span)
        #expect(written == .bytes(4))
        #expect(!server.isAllRead)
        #expect(try read(client, 3) == .bytes(3))
        #expect(!server.isAllRead, "a partial read does not open the gate")
        #expect(try read(client, 3) == .bytes(1))
        #expect(server.isAllRead)
    }

    @Test("a peer that closes its end without having read everything is known", arguments: [0, 3, 5], [true, false])
    func peerLeavesOutputUnread(count: Int, isReadFirst: Bool) throws {
        let listener = try UnixListener(at: address())
        func serverWithoutClient() throws -> UnixStream {
            let (client, server) = try connect(listener)
            #expect(try server.write([1, 2, 3, 4, 5].span) == .bytes(5))
            if count > 0 { #expect(try read(client, count) == .bytes(count)) }
            return server
        }
        let server = try serverWithoutClient()
        // A read or a write takes the error from the socket.
        if isReadFirst { _ = try read(server, 1) }
        #expect(server.hasLostOutput == (count < 5))
    }

    @Test func edgeReportsThatThePeerHasRead() throws {
        let loop = try EventLoop()
        let (client, server) = try connect(UnixListener(at: address()))
        var edges = 0
        let source = try loop.watch(server.number, for: [.readable, .writable, .edge]) { interest in
            guard interest.contains(.writable) else { return }
            edges += 1
            // The registration causes the first edge.
            if edges == 1 {
                _ = try? server.write([UInt8](repeating: 7, count: 100).span)
                _ = try? self.read(client, 100)
            } else {
                #expect(server.isAllRead)
                loop.exit()
            }
        }
        try loop.run()
        #expect(edges == 2)
        source.cancel()
    }

    /// With two processors, about one message in ten thousand is checked while the kernel is freeing it.
    @Test func gateDoesNotWaitForAnEdgeThatNeverComes() throws {
        let loop = try EventLoop()
        let (client, server) = try connect(UnixListener(at: address()))
        let reader = client.number
        _ = fcntl(reader, F_SETFL, 0)
        try Pthread.start {
            var buffer = [UInt8](repeating: 0, count: 256)
            while recv(reader, &buffer, buffer.count, 0) > 0 {}
        }
        var left = 60_000
        let source = try loop.watch(server.number, for: [.writable, .edge]) { _ in
            guard server.isAllRead else { return }
            left -= 1
            if left == 0 { return loop.exit() }
            _ = try? server.write([UInt8](repeating: 7, count: 134).span)
        }
        let deadline = try loop.timer {
            Issue.record("\(left) messages before the end, edges stopped")
            loop.exit()
        }
        deadline.fire(after: .seconds(50))
        try loop.run()
        #expect(left == 0)
        source.cancel()
        shutdown(reader, Int32(SHUT_RDWR))
        withExtendedLifetime(client) {}
    }

    @Test func streamReportsThatItsPeerHasClosed() throws {
        let server = try connect(UnixListener(at: address())).server
        // A process that another test is starting has the peer's descriptor until it runs its program.
        try Readiness.wait(server.number, for: .readable, atMost: .seconds(60))
        #expect(try read(server, 1) == .ended)
        let written = try server.write([1].span)
        #expect(written == .ended)
    }

    @Test func peerIsTheProcessThatConnected() throws {
        let (client, server) = try connect(UnixListener(at: address()))
        let peer = try server.peer()
        #expect(peer.pid == getpid())
        #expect(peer.uid == getuid())
        withExtendedLifetime(client) {}
    }

    @Test func addressIsServedOnce() throws {
        let first = try UnixListener(at: address())
        #expect(throws: SystemError("bind", on: try address().path, code: EADDRINUSE)) {
            try UnixListener(at: address())
        }
        withExtendedLifetime(first) {}
    }

    /// Creates a listener that never accepts and whose queue is full.
    private func unresponsive(_ address: UnixAddress) throws -> (listener: UnixStream, waiting: [UnixStream]) {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        let listener = UnixStream(OwnedDescriptor(number))
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address.path.utf8) }
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0 && listen(number, 0) == 0)
        var waiting: [UnixStream] = []
        while let stream = try? UnixStream(connectingTo: address, atMost: .zero) { waiting.append(stream) }
        return (listener, waiting)
    }

    @Test(arguments: [Duration.zero, .milliseconds(50)])
    func connectingToAFullQueueFails(after patience: Duration) throws {
        let address = try address()
        let unresponsive = try unresponsive(address)
        let error = #expect(throws: SystemError.self) { try UnixStream(connectingTo: address, atMost: patience) }
        #expect(error?.isQueueFull == true)
        #expect(error?.description.contains(address.path) == true)
        #expect(error?.description.contains("connection queue of the listener is full") == true)
        withExtendedLifetime(unresponsive) {}
    }

    @Test func socketWithAFullQueueIsNotReplaced() throws {
        let address = try address()
        let unresponsive = try unresponsive(address)
        #expect(throws: SystemError("bind", on: address.path, code: EADDRINUSE)) { try UnixListener(at: address) }
        #expect(access(address.path, F_OK) == 0)
        withExtendedLifetime(unresponsive) {}
    }

    @Test func socketIsOpenToAllUsersAndRemovedAfterward() throws {
        let path = try address().path
        var listener: UnixListener? = try UnixListener(at: address())
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o666)
        withExtendedLifetime(listener) {}
        listener = nil
        #expect(access(path, F_OK) != 0)
        _ = try UnixListener(at: address())
    }

    @Test(
        arguments: [
            ("unix:/run/bus", "/run/bus"), ("unix:/run/bus;mode=0666", "/run/bus"), ("unix:relative", nil),
            ("tcp:1:2", nil),
            ("unix:@abstract", nil), ("/run/bus", nil), ("unix:", nil),
            ("unix:/" + String(repeating: "x", count: 107), nil),
        ] as [(String, String?)])
    func addressIsAnAbsolutePath(text: String, path: String?) {
        #expect((try? UnixAddress(text))?.path == path)
    }
}
