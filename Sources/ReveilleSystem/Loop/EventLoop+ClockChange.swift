// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

extension EventLoop {
    /// Calls a handler whenever the machine has resumed from suspend or the wall clock was set.
    ///
    /// It uses a timer that is canceled when the clock changes (timerfd_create(2); kernel 5.15 or later for suspend).
    /// This does not distinguish the two cases.
    package func onClockChange(handler: @escaping () -> Void) throws(SystemError) -> ClockChangeSource {
        let number = c_reveille_clock_change_timer()
        guard number >= 0 else { throw SystemError("timerfd_create") }
        let descriptor = OwnedDescriptor(number)
        let source = try watch(number, for: .readable, priority: .watcher) { _ in
            var expirations: UInt64 = 0
            // The read fails with ECANCELED; the timer itself never expires.
            _ = read(number, &expirations, MemoryLayout<UInt64>.size)
            handler()
        }
        return ClockChangeSource(descriptor: descriptor, source: source)
    }
}

/// The registration of a handler for clock changes; releasing it ends the calls.
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
