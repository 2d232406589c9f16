// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// A machine that sleeps, and its login manager, which announces it in order, twice, late or not at all.
package final class SimulatedMachine: MachineSleep {
    /// How long the login manager waits for locks, in microseconds.
    package static let longestDelay: UInt64 = 5_000_000

    package let interests = SleepInterests()
    package var announced: (UInt64?) -> Void = { _ in }
    package private(set) var timeAsleep: UInt64 = 0
    package var source: String { "a simulation" }
    /// Whether a login manager answers and announces.
    package var isManaged = true { didSet { changeLock() } }
    /// Whether the login manager says that the machine prepares to sleep.
    package var isPreparing = false
    /// Whether a lock delays the sleep.
    package private(set) var isLocked = false
    private var loop: SimulatedLoop
    private var answers: [UInt64: SimulatedLoop.Source] = [:]
    private var questions: UInt64 = 0
    /// Runs while a bus that follows the login manager does not know its state.
    private var greeting: SimulatedLoop.Source?

    package init(loop: SimulatedLoop) {
        self.loop = loop
        interests.changed = { [unowned self] in interestsChanged() }
    }

    /// Begins with another bus; the lock of the last is closed with it.
    package func restart(on loop: SimulatedLoop) {
        self.loop = loop
        answers = [:]
        greeting = nil
        isLocked = false
    }

    private func interestsChanged() {
        changeLock()
        guard !interests.isEmpty else { return greeting = nil }
        guard greeting == nil else { return }
        greeting = loop.makeTimer(priority: .normal) { [unowned self] in note(isManaged && isPreparing) }
        greeting?.fire(after: .zero)
    }

    private func changeLock() {
        isLocked = isManaged && interests.wantDelay && (isLocked || !isPreparing)
    }

    package func ask(then completion: @escaping (Bool?) -> Void) {
        questions += 1
        let number = questions
        answers[number] = loop.makeTimer(priority: .normal) { [unowned self] in
            answers[number] = nil
            completion(isManaged ? isPreparing : nil)
        }
        answers[number]?.fire(after: .zero)
    }

    package func letSleep() { isLocked = false }

    /// Announces the beginning or the end of a sleep, whether it is true or not.
    package func announce(_ isPreparing: Bool) {
        if isManaged { note(isPreparing) }
    }

    private func note(_ isPreparing: Bool) {
        announced(isPreparing ? Self.longestDelay : nil)
        interests.notify(isPreparing: isPreparing)
        changeLock()
    }

    /// Lets the machine sleep; the bus learns of it only by ``SimulatedBus/clockChanged()``.
    package func doze(for duration: Duration) {
        loop.advance(duration)
        timeAsleep += EventLoop.microseconds(duration)
    }
}
