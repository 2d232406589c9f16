// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CReveilleLinux
import Glibc

extension EventLoop {
    /// Calls whenever the machine has woken up from suspend, or the wall clock was set.
    ///
    /// A timer that is canceled when the clock changes tells both (timerfd_create(2), kernel 5.15 or later for
    /// suspend); which of the two it was is not known, and need not be.
    package func onClockChange(handler: @escaping () -> Void) throws(SystemError) -> ClockChangeSource {
        let number = c_reveille_clock_change_timer()
        guard number >= 0 else { throw SystemError("timerfd_create") }
        let descriptor = OwnedDescriptor(number)
        let source = try watch(number, for: .readable, priority: .watcher) { _ in
            var expirations: UInt64 = 0
            // ECANCELED is the news; the timer itself is set for the end of time.
            _ = read(number, &expirations, MemoryLayout<UInt64>.size)
            handler()
        }
        return ClockChangeSource(descriptor: descriptor, source: source)
    }
}

/// Keeps ``EventLoop/onClockChange(handler:)`` going.
package final class ClockChangeSource {
    private let descriptor: OwnedDescriptor
    private let source: EventSource

    init(descriptor: consuming OwnedDescriptor, source: EventSource) {
        self.descriptor = descriptor
        self.source = source
    }

    deinit {
        source.cancel()
    }
}
