// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// A timer for the next of several times, which is set only if that time has changed.
final class PaceTimer {
    private let loop: any Loop
    private var timer: (any LoopSource)?
    private(set) var time: UInt64?

    init(loop: any Loop, fired: @escaping () -> Void) throws(SystemError) {
        self.loop = loop
        timer = try loop.timer(
            handler: weakly(self) {
                $0.time = nil
                fired()
            })
    }

    /// Sets the timer to a time of the boot clock, or stops it.
    func set(to next: UInt64?) {
        // Most deliveries leave the time as it was, and setting a timer costs as much as a delivery.
        guard next != time else { return }
        time = next
        guard let next else { return timer?.disarm() ?? () }
        let now = loop.bootClock
        timer?.fire(after: .microseconds(next > now ? next - now : 0))
    }
}
