// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// A peer's process, held by a pidfd, which never refers to another process even if the ID is reused.
///
/// If the kernel cannot provide the pidfd of the connection (before 6.5), the pidfd is opened by process ID. That finds
/// another process only if the peer ended earlier, left its socket to a child, and its ID was reused.
package final class PeerProcess: FollowedProcess {
    private let descriptor: OwnedDescriptor
    package let pid: Int32
    package let user: UInt32

    /// Throws if the process has ended or its PID namespace is not visible, or if descriptors have run out.
    package init(of stream: any ByteStream) throws(SystemError) {
        let peer = try stream.peer()
        pid = peer.pid
        user = peer.uid
        let number = c_reveille_peer_pidfd(stream.number, pid)
        guard number >= 0 else { throw SystemError("pidfd_open", on: "process \(pid)") }
        descriptor = OwnedDescriptor(number)
        guard !DescriptorLimit.isKeptBack(number) else {
            throw SystemError("pidfd_open", on: "process \(pid)", code: EMFILE)
        }
    }

    package var number: Int32 { descriptor.number }

    package var cgroup: String? {
        let path = CgroupHierarchy.path(ofProcess: "\(pid)")
        // The ID belonged to the process during the read if the process has not ended since.
        return hasEnded ? nil : path
    }

    /// Sends SIGTERM to the process, and to no other that has its ID later.
    ///
    /// - Throws: `SystemError`; `EPERM` if the process belongs to another user by now, whom root's bus could signal.
    package func terminate() throws(SystemError) {
        guard geteuid() != 0 || user == 0 || UserDatabase.owner(ofProcess: pid) == user else {
            throw SystemError("pidfd_send_signal", on: "process \(pid)", code: EPERM)
        }
        guard c_reveille_signal(descriptor.number, SIGTERM) == 0 else {
            throw SystemError("pidfd_send_signal", on: "process \(pid)")
        }
    }

    package var hasEnded: Bool { (try? Readiness.wait(number, for: .readable, atMost: .zero)) ?? true }
}
