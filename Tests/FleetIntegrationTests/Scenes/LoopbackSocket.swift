// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

extension MosquittoBroker {
    static func accepts(path: String) -> Bool {
        guard let address = try? UnixAddress("unix:" + path) else { return false }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return address.withSocketAddress { connect(descriptor, $0, $1) } == 0
    }
}

/// A listener on loopback, which accepts connections only on request.
final class LoopbackListener: Sendable {
    let port: UInt16
    private let descriptor: Int32

    /// Listens on a free port, with a queue of connections that wait, less one.
    init(queue: Int32 = 8) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        guard Loopback.withAddress(port: 0, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, queue) == 0 else {
            close(descriptor)
            throw Trouble("listen: \(errno)")
        }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        port = UInt16(bigEndian: address.sin_port)
        // A test that waits in vain for a connection fails.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Waits for a connection, which the caller must close.
    func acceptOne() -> Int32 { accept(descriptor, nil, nil) }

    /// Fills the queue, so that the kernel ignores further connections, as a black hole does.
    func fillQueue() -> [Int32] {
        var waiting: [Int32] = []
        while waiting.count < 16 {
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            waiting.append(number)
            _ = Loopback.withAddress(port: port) { connect(number, $0, $1) }
            // A connection that the kernel ignores is not established.
            if (try? Readiness.wait(number, for: .writable, atMost: .milliseconds(100))) == false { break }
        }
        return waiting
    }
}
