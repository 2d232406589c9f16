// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Wakes one thread from another.
package final class Pipe: Sendable {
    /// The end that becomes readable; belongs to the pipe.
    package let readingEnd: Int32
    private let writingEnd: Lock<Int32?>

    /// Makes a pipe that nobody has written to.
    package init() throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A waker never waits: a full pipe wakes as well as one byte more would.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        readingEnd = ends[0]
        writingEnd = Lock(ends[1])
    }

    deinit {
        closeWritingEnd()
        close(readingEnd)
    }

    /// The end that another process may be given.
    package var writable: Int32 { writingEnd.withLock { $0 ?? -1 } }

    /// Makes the reading end readable.
    package func wake() {
        writingEnd.withLock { end in
            guard let end else { return }
            var byte: UInt8 = 1
            _ = write(end, &byte, 1)
        }
    }

    /// Waits for a wake-up; false when none can come any more.
    package func waitForWake() -> Bool {
        drain() > 0
    }

    /// Waits for a wake-up, which stays, no longer than a time.
    package func wait(for time: Duration) {
        var request = pollfd(fd: readingEnd, events: Int16(POLLIN), revents: 0)
        _ = poll(&request, 1, Int32(time / .milliseconds(1)))
    }

    /// Takes the wake-ups that came; waits for one where there is none.
    @discardableResult
    package func drain() -> Int {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            retryingOnInterrupt { read(readingEnd, buffer.baseAddress, buffer.count) }
        }
    }

    /// Ends waiting at the other end.
    package func closeWritingEnd() {
        writingEnd.withLock { end in
            if let open = end { close(open) }
            end = nil
        }
    }
}
