// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

extension EventLoop {
    /// Creates an alarm whose handler is also called whenever the clock is set or the machine resumes.
    ///
    /// A timer of the loop follows another clock, and would not report that the wall clock was set.
    package func alarm(
        wakes: Bool, handler: @escaping (WallClockEvent) -> Void
    ) throws(SystemError) -> any WallClockAlarm {
        try TimerAlarm(loop: self, wakes: wakes, handler: handler)
    }

    /// Calls a handler whenever the machine has resumed (Linux 5.15) or the wall clock was set, until this is released.
    package func onClockChange(handler: @escaping () -> Void) throws(SystemError) -> any WallClockAlarm {
        let alarm = try alarm { _ in handler() }
        // The year 2242 is within the range of the kernel and practically never reached.
        alarm.set(to: 8_589_934_592_000_000)
        return alarm
    }
}

private final class TimerAlarm: WallClockAlarm {
    private let descriptor: OwnedDescriptor
    private var source: EventSource?
    /// Whether the clock was set before the alarm was.
    private var hasChanged = false

    init(loop: EventLoop, wakes: Bool, handler: @escaping (WallClockEvent) -> Void) throws(SystemError) {
        let number = c_reveille_alarm(wakes ? 1 : 0)
        guard number >= 0 else { throw SystemError("timerfd_create") }
        descriptor = OwnedDescriptor(number)
        source = try loop.watch(number, for: .readable, priority: .watcher) { [unowned self] _ in
            var expirations: UInt64 = 0
            let count = read(number, &expirations, MemoryLayout<UInt64>.size)
            let event: WallClockEvent? =
                count > 0 ? .expired : errno == ECANCELED ? .clockChanged : nil
            guard let event else { return }
            let reported = hasChanged ? .clockChanged : event
            hasChanged = false
            handler(reported)
        }
    }

    deinit {
        source?.cancel()
    }

    func set(to time: Int64) {
        guard c_reveille_set_alarm(descriptor.number, max(1, time)) != 0, errno == ECANCELED else { return }
        // The kernel has reported the change, and does not report it again.
        hasChanged = true
        _ = c_reveille_set_alarm(descriptor.number, 1)
    }
}
