// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CReveilleLinux
import Glibc

/// The process that connected, held by a pidfd: its id may pass to another, the descriptor does not.
///
/// Where the kernel gives none of the connection (before 6.5), it is opened by the process's id. That finds
/// another process only if the peer ended before, left its socket to a child, and its id came round again.
package final class PeerProcess {
    private let descriptor: OwnedDescriptor
    private let pid: Int32

    /// Takes hold of the process at the other end of a connection.
    ///
    /// - Throws: `SystemError` when it has ended, is of a PID namespace that is not seen from here, or
    ///   descriptors have run out.
    package init(of stream: any ByteStream) throws(SystemError) {
        pid = try stream.peer().pid
        let number = c_reveille_peer_pidfd(stream.number, pid)
        guard number >= 0 else { throw SystemError("pidfd_open", on: "process \(pid)") }
        descriptor = OwnedDescriptor(number)
        guard !DescriptorLimit.isKeptBack(number) else {
            throw SystemError("pidfd_open", on: "process \(pid)", code: EMFILE)
        }
    }

    /// The descriptor, borrowed for as long as the object lives; it becomes readable when the process ends.
    package var number: Int32 { descriptor.number }

    /// The path of its cgroup, as this process sees it; `nil` when it has ended or nothing says.
    package var cgroup: String? {
        guard case .bytes(let bytes) = FileContents.read("/proc/\(pid)/cgroup", limit: Self.limit) else { return nil }
        // As long as it has not ended, its id was its own while the file was read.
        guard !hasEnded else { return nil }
        return CgroupHierarchy.path(inProcessFile: String(decoding: bytes, as: UTF8.self))
    }

    /// A line for each hierarchy, of which there are 14 at most, each with a path (PATH_MAX).
    private static let limit = 65_536

    private var hasEnded: Bool {
        var poll = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) != 0
    }
}
