// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// A file descriptor with a single owner, which is closed when the owner is released.
package struct OwnedDescriptor: ~Copyable {
    /// The number, for calls that borrow the descriptor.
    package let number: Int32

    /// Takes ownership of an open descriptor.
    package init(_ number: Int32) {
        precondition(number >= 0, "descriptor is not open")
        self.number = number
    }

    /// Opens a file, with `O_CLOEXEC` added to the flags of open(2); a new file gets the mode.
    package init(opening path: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) {
        let number = retryingOnInterrupt { open(path, flags | O_CLOEXEC, mode) }
        guard number >= 0 else { throw SystemError("open", on: path) }
        self.number = number
    }

    deinit {
        // Linux closes the descriptor even if close(2) reports EINTR, so it must not be closed again.
        close(number)
    }
}

/// The process's limit on open file descriptors, and the descriptors reserved from peers.
///
/// A connection can wait. Without descriptors for devices, the battery would be unknown to every subscriber.
package enum DescriptorLimit {
    /// The number of descriptors reserved for devices, files and the saved state: listing power supplies, reading a
    /// sensor's buffer and a settings file, and writing the state take about a dozen together.
    package static let reserve: Int32 = 32
    /// The divisor that caps the reserve when the limit is small.
    private static let smallestShare: Int32 = 6

    /// Raises the limit as far as the user may; the usual 1024 is less than the bus's limit on connections.
    @discardableResult
    package static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_max)
    }

    /// Throws if a number of descriptors cannot be opened now beside any open descriptor.
    package static func probe(_ count: Int, beside descriptor: Int32) throws(SystemError) {
        var opened: [Int32] = []
        defer { for number in opened { close(number) } }
        for _ in 0..<count {
            let number = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard number >= 0 else { throw SystemError("fcntl") }
            opened.append(number)
        }
    }

    /// Whether a descriptor belongs to the reserve; code that serves peers must close such a descriptor at once.
    ///
    /// The kernel assigns the lowest free number, so a number near the limit means that few are left.
    package static func isKeptBack(_ number: Int32) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        let most = Int32(clamping: limit.rlim_cur)
        return number >= most - min(reserve, most / smallestShare)
    }

    /// Whether a descriptor outside the reserve is available; needs any open descriptor.
    package static func hasRoom(beside descriptor: Int32) -> Bool {
        let number = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { return false }
        close(number)
        return !isKeptBack(number)
    }
}

/// Waiting for one descriptor without an event loop.
package enum Readiness {
    package enum Direction { case readable, writable }

    /// Waits until a descriptor is readable or writable, or has ended; false after the time.
    @discardableResult
    package static func wait(
        _ descriptor: Int32, for direction: Direction, atMost patience: Duration
    ) throws(SystemError) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(direction == .readable ? POLLIN : POLLOUT), revents: 0)
        // poll(2) treats a negative timeout as infinite.
        let milliseconds = Int32(max(0, min(patience / .milliseconds(1), Double(Int32.max))).rounded(.up))
        let result = retryingOnInterrupt { Glibc.poll(&poll, 1, milliseconds) }
        guard result >= 0 else { throw SystemError("poll") }
        return result > 0
    }

    /// Waits until a child has ended, which remains to be waited for; false after the time.
    package static func waitForEnd(of child: Int32, atMost patience: Duration) throws(SystemError) -> Bool {
        let number = c_reveille_pidfd(child)
        guard number >= 0 else { throw SystemError("pidfd_open", on: "process \(child)") }
        let descriptor = OwnedDescriptor(number)
        return try withExtendedLifetime(descriptor) { () throws(SystemError) in
            try wait(number, for: .readable, atMost: patience)
        }
    }
}
