// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleHost
import ReveilleSystem

/// Watches the sleep of the machine, as the login manager announces it and the clocks show it.
package final class SleepWatcher: Watcher {
    package let aspect = BuiltInAspect.sleep
    private let machine: any MachineSleep
    private let context: WatcherContext
    private var rule: SleepRule { didSet { machine.interests.counted = rule.counted } }
    private var interest: SleepInterest?

    /// Creates a watcher that is off and continues after a saved state.
    package init(machine: any MachineSleep, after last: Sleep?, context: WatcherContext) {
        self.machine = machine
        self.context = context
        rule = SleepRule(after: last, counted: machine.interests.counted, timeAsleep: machine.timeAsleep)
        machine.interests.counted = rule.counted
    }

    /// While it watches closely, a lock delays the sleep.
    package var pace: Pace = .off {
        didSet {
            guard pace != oldValue else { return }
            if pace == .off {
                interest = nil
            } else if interest == nil {
                interest = machine.interests.follow(weakly(self) { $0.note(isPreparing: $1) })
                context.report(.sleep(rule.sleep))
            }
            interest?.wantsDelay = pace == .live
        }
    }

    /// Measures a sleep without subscribers, for the next one.
    package func clockChanged() {
        if pace == .off { rule.note(isPreparing: false, timeAsleep: machine.timeAsleep) }
    }

    package func refresh(then completion: @escaping () -> Void) {
        machine.ask { [weak self] in
            self?.note(isPreparing: $0)
            completion()
        }
    }

    private func note(isPreparing: Bool?) {
        rule.note(isPreparing: isPreparing, timeAsleep: machine.timeAsleep)
        context.report(.sleep(rule.sleep))
    }

    package var source: SourceDescription {
        let obstacles = machine.interests.obstacles()
        return .available(obstacles.isEmpty ? machine.source : "\(machine.source): \(obstacles)")
    }

    package func examine() -> Examination {
        var examination = Examination()
        let answer = LoginProperties.answer(["PreparingForSleep"], within: Pace.sampleTimeout)
        examination.add("login manager", "\(answer)")
        examination.add("asleep since boot", "\(machine.timeAsleep / 1_000_000) s")
        return examination
    }
}
