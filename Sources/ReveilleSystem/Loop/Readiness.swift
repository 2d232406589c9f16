// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Waits for one descriptor, for programs that have no loop.
package enum Readiness {
    /// What to wait for.
    package enum Direction {
        case readable, writable
    }

    /// Waits until a descriptor can be read or written, or has ended.
    ///
    /// - Parameters:
    ///   - descriptor: Borrowed.
    ///   - direction: What to wait for.
    ///   - patience: How long, at most.
    /// - Returns: Whether it came; false when time was up.
    /// - Throws: `SystemError` of poll(2).
    @discardableResult
    package static func wait(
        _ descriptor: Int32, for direction: Direction, atMost patience: Duration
    ) throws(SystemError) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(direction == .readable ? POLLIN : POLLOUT), revents: 0)
        // Below 0 is for ever to poll(2).
        let milliseconds = Int32(max(0, min(patience / .milliseconds(1), Double(Int32.max))).rounded(.up))
        let result = retryingOnInterrupt { Glibc.poll(&poll, 1, milliseconds) }
        guard result >= 0 else { throw SystemError("poll") }
        return result > 0
    }
}
