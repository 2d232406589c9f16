// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The supervisor's end of sd_notify(3).
final class NotifySocket {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        let result = try UnixAddress("unix:" + path).withSocketAddress { bind(descriptor, $0, $1) }
        guard result == 0 else { throw Trouble("bind \(path): error \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    /// Receives the next notification, and the file descriptor that is passed with it (unix(7), SCM_RIGHTS).
    func next() throws -> (text: String, descriptor: Int32?) {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 20_000) > 0 else { throw Trouble("no notification received") }
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
                    count = recvmsg(descriptor, &message, Int32(MSG_CMSG_CLOEXEC))
                }
            }
        }
        guard count > 0 else { throw Trouble("recvmsg: error \(errno)") }
        // The descriptor follows a header with the length, level and type.
        let header = control.withUnsafeBytes { $0.load(as: cmsghdr.self) }
        let passed = control.withUnsafeBytes { $0.load(fromByteOffset: MemoryLayout<cmsghdr>.size, as: Int32.self) }
        let hasDescriptor = header.cmsg_level == SOL_SOCKET && header.cmsg_type == Int32(SCM_RIGHTS)
        return (String(decoding: text[..<count], as: UTF8.self), hasDescriptor ? passed : nil)
    }
}
