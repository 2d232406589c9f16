// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A pipe that lets one thread wake another.
package final class Pipe: Sendable {
    /// The end that becomes readable; owned by the pipe.
    package let readingEnd: Int32
    private let writingEnd: Lock<Int32?>

    package init() throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Waking never blocks: a full pipe wakes the reader just as well.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        readingEnd = ends[0]
        writingEnd = Lock(ends[1])
    }

    deinit {
        closeWritingEnd()
        close(readingEnd)
    }

    /// The end that can be passed to another process.
    package var writable: Int32 { writingEnd.withLock { $0 ?? -1 } }

    package func wake() {
        writingEnd.withLock { end in
            guard let end else { return }
            var byte: UInt8 = 1
            _ = retryingOnInterrupt { write(end, &byte, 1) }
        }
    }

    /// Waits for a wake-up, and returns false if no more can arrive.
    package func waitForWake() -> Bool {
        drain() > 0
    }

    /// Consumes the pending wake-ups; waits for one if there are none.
    @discardableResult
    package func drain() -> Int {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            retryingOnInterrupt { read(readingEnd, buffer.baseAddress, buffer.count) }
        }
    }

    /// Ends waiting at the reading end.
    package func closeWritingEnd() {
        writingEnd.withLock { end in
            if let open = end { close(open) }
            end = nil
        }
    }
}
