// SPDX-License-Identifier: Apache-2.0

import Glibc

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
}
