// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the sleep of the machine, as the login manager announces it and the clocks show it.
package final class SleepWatcher: Watcher {
    /// How long the machine may prepare before the login manager is asked whether it still does.
    private static let patience: Duration = .seconds(30)

    package let aspect = BuiltInAspect.sleep
    private let loop: any Loop
    private let machine: any MachineSleep
    private let context: WatcherContext
    private var rule: SleepRule { didSet { machine.interests.counted = rule.counted } }
    private var interest: SleepInterest?
    private var question: (any LoopSource)?

    /// Creates a watcher that is off and continues after a saved state.
    package init(loop: any Loop, machine: any MachineSleep, after last: Sleep?, context: WatcherContext) {
        self.loop = loop
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
                question = nil
            } else if interest == nil {
                interest = machine.interests.follow { [weak self] in self?.note(isPreparing: $0) }
                context.report(.sleep(rule.sleep))
            }
            interest?.wantsDelay = pace == .live
        }
    }

    /// A sleep that nobody watches is measured, for the next subscriber.
    package func clockChanged() {
        if pace == .off { rule.note(isPreparing: false, timeAsleep: machine.timeAsleep) }
    }

    package func refresh(then completion: @escaping () -> Void) {
        machine.ask { [weak self] isPreparing in
            self?.note(isPreparing: isPreparing ?? false)
            completion()
        }
    }

    private func note(isPreparing: Bool) {
        rule.note(isPreparing: isPreparing, timeAsleep: machine.timeAsleep)
        context.report(.sleep(rule.sleep))
        question = isPreparing && pace != .off ? makeQuestion() : nil
    }

    private func makeQuestion() -> (any LoopSource)? {
        let question = try? loop.timer(priority: .watcher) { [weak self] in self?.refresh {} }
        question?.fire(after: Self.patience)
        return question
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
