// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// An alarm of a ``SimulatedLoop``; the loop's wall clock advances with its boot clock and can be set.
final class SimulatedAlarm: WallClockAlarm {
    private unowned let loop: SimulatedLoop
    private var timer: SimulatedLoop.Source?
    /// The time of the alarm; `nil` once it has expired.
    private var time: Int64? {
        didSet { if wakes { loop.wakeTimes[ObjectIdentifier(self)] = time } }
    }
    private let wakes: Bool
    private var hasChanged = false

    init(loop: SimulatedLoop, wakes: Bool, handler: @escaping (WallClockEvent) -> Void) {
        self.loop = loop
        self.wakes = wakes
        timer = loop.makeTimer(priority: .watcher) { [unowned self] in
            guard hasChanged || time.map({ $0 <= loop.wallClock }) == true else { return start() }
            let event: WallClockEvent = hasChanged ? .clockChanged : .expired
            hasChanged = false
            time = nil
            handler(event)
        }
        loop.clockObservers[ObjectIdentifier(self)] = { [unowned self] in noteClockChange() }
    }

    deinit {
        loop.clockObservers[ObjectIdentifier(self)] = nil
        loop.wakeTimes[ObjectIdentifier(self)] = nil
    }

    func set(to time: Int64) {
        self.time = time
        start()
    }

    private func noteClockChange() {
        guard time != nil else { return }
        hasChanged = true
        start()
    }

    private func start() {
        guard let time else { return }
        let (left, isTooLong) = time.subtractingReportingOverflow(loop.wallClock)
        timer?.fire(exactlyAfter: hasChanged ? 0 : UInt64(isTooLong ? .max : max(0, left)))
    }
}
