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

    /// Sends SIGTERM, unless the process belongs to another user by now, whom root's bus could signal (`EPERM`).
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

/// The unmistakable identity of a process: an ID is reused, but never with the same start time in the same boot.
package struct ProcessIdentity: Sendable, Hashable {
    package let pid: Int32
    /// The time of its start, in clock ticks since boot.
    package let start: UInt64
    package let boot: String

    package init(pid: Int32, start: UInt64, boot: String) {
        self.pid = pid
        self.start = start
        self.boot = boot
    }

    /// Reads the identity of a process; `nil` if it has ended, or is not visible.
    package init?(of pid: Int32) {
        guard case .bytes(let stat) = FileContents.read("/proc/\(pid)/stat", limit: Self.longestFile),
            case .bytes(let boot) = FileContents.read("/proc/sys/kernel/random/boot_id", limit: Self.longestFile),
            let start = Self.start(inStat: stat)
        else { return nil }
        self.init(
            pid: pid, start: start, boot: String(decoding: boot.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    /// The size of each of these files, whose usual length is some hundred bytes.
    package static let longestFile = 4_096
    /// The position of the start in ``fields(inStat:)``.
    private static let startField = 19

    package static func start(inStat bytes: [UInt8]) -> UInt64? {
        let fields = fields(inStat: bytes)
        return fields.count > startField ? UInt64(fields[startField]) : nil
    }

    /// Returns the fields of `/proc/PID/stat` after the name of the program, beginning with the state (proc(5)).
    package static func fields(inStat bytes: [UInt8]) -> [String] {
        // The name of the program is in parentheses, and may contain spaces and parentheses.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return [] }
        return bytes[(end + 1)...].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }
}
