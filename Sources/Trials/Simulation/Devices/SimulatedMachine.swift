// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleHost
import ReveilleSystem

/// A machine that sleeps, and its login manager, which announces it in order, twice, late or not at all, and may be slow,
/// silent, unwilling or gone.
///
/// It outlasts the buses, of which each follows it as it would a real one.
package final class SimulatedMachine {
    /// How long the login manager waits for locks, in microseconds.
    package static let longestDelay: UInt64 = 5_000_000

    package private(set) var timeAsleep: UInt64 = 0
    /// Whether there is a message bus.
    package var hasMessageBus = true {
        didSet { if !hasMessageBus { login?.noted(.lost("the message bus has ended")) } }
    }
    /// Whether there is a login manager.
    package var isManaged = true { didSet { if isManaged != oldValue { login?.managerChanged() } } }
    /// The time that the login manager takes to answer; `nil` while it is stopped (it answers all calls afterwards).
    package var answerTime: Duration? = .zero { didSet { login?.answerTimeChanged(from: oldValue) } }
    /// Whether the login manager refuses locks.
    package var refusesLocks = false
    /// Whether the login manager has refused a lock, and announced nothing since.
    package private(set) var hasRefused = false
    /// Whether the login manager says that the machine prepares to sleep.
    package var isPreparing = false
    /// Whether a lock delays the sleep.
    package var isLocked: Bool { locks.contains { $0() != nil } }
    package var isFollowed: Bool { sleep?.interests.isEmpty == false }
    package var source: String { sleep?.source ?? "" }
    private var locks: [() -> SimulatedLock?] = []
    private var loop: SimulatedLoop
    private weak var sleep: SystemSleep?
    private weak var login: SimulatedLogin?

    package init(loop: SimulatedLoop) {
        self.loop = loop
    }

    /// Shows the machine to a bus.
    func follow(on loop: SimulatedLoop, warn: @escaping (String) -> Void) throws(SystemError) -> SystemSleep {
        self.loop = loop
        let sleep = try SystemSleep(
            loop: loop, connect: { [unowned self] () throws(SystemError) in try connect() },
            timeAsleep: { [unowned self] in timeAsleep }, warn: warn)
        self.sleep = sleep
        return sleep
    }

    private func connect() throws(SystemError) -> SimulatedLogin {
        guard hasMessageBus else { throw SystemError("sd_bus_open_system", code: ENOENT) }
        hasRefused = false
        let login = SimulatedLogin(of: self, on: loop)
        self.login = login
        return login
    }

    fileprivate func makeLock() -> SimulatedLock? {
        hasRefused = refusesLocks
        guard !refusesLocks else { return nil }
        let lock = SimulatedLock()
        locks.append { [weak lock] in lock }
        return lock
    }

    /// Announces the beginning or the end of a sleep, whether it is true or not.
    package func announce(_ isPreparing: Bool) {
        guard isManaged, hasMessageBus else { return }
        if !isPreparing { hasRefused = false }
        login?.noted(.announced(isPreparing: isPreparing))
    }

    /// Lets the machine sleep; the bus learns of it only by ``SimulatedBus/clockChanged()``.
    package func doze(for duration: Duration) {
        loop.advance(duration)
        timeAsleep += EventLoop.microseconds(duration)
    }
}

private final class SimulatedLock {}

/// A connection whose calls are answered in any order, from the state at that time.
private final class SimulatedLogin: LoginManager {
    private struct Call {
        let answer: SimulatedLoop.Source
        let timeout: SimulatedLoop.Source
        let completion: (LoginFailure?) -> Void
    }

    var noted: (DelayLock.Input) -> Void = { _ in }
    private let machine: SimulatedMachine
    private let loop: SimulatedLoop
    private var calls: [Int: Call] = [:]
    private var number = 0

    init(of machine: SimulatedMachine, on loop: SimulatedLoop) {
        self.machine = machine
        self.loop = loop
    }

    func ask(within patience: Duration, then completion: @escaping (DelayLock.Input) -> Void) {
        call(within: patience) { [machine] in
            let delay = SimulatedMachine.longestDelay
            completion($0.map { .unanswered($0) } ?? .answered(isPreparing: machine.isPreparing, longestDelay: delay))
        }
    }

    func lock(within patience: Duration, then completion: @escaping (Result<AnyObject, LoginFailure>) -> Void) {
        call(within: patience) { [machine] failure in
            if let failure { return completion(.failure(failure)) }
            guard !machine.isPreparing else {
                return completion(.failure(.refused("the operation is already running")))
            }
            completion(machine.makeLock().map { .success($0) } ?? .failure(.refused("not today")))
        }
    }

    private func call(within patience: Duration, then completion: @escaping (LoginFailure?) -> Void) {
        number += 1
        let number = number
        let answer = loop.makeTimer(priority: .normal) { [unowned self] in end(number, with: nil) }
        let timeout = loop.makeTimer(priority: .normal) { [unowned self] in end(number, with: .late) }
        timeout.fire(after: patience)
        calls[number] = Call(answer: answer, timeout: timeout, completion: completion)
        // The message bus answers for a manager that is absent.
        if let time = machine.isManaged ? machine.answerTime : .zero { answer.fire(after: time) }
    }

    private func end(_ number: Int, with failure: LoginFailure?) {
        calls.removeValue(forKey: number)?.completion(machine.isManaged ? failure : .absent)
    }

    func answerTimeChanged(from former: Duration?) {
        guard machine.isManaged, (former == nil) != (machine.answerTime == nil) else { return }
        for call in calls.values { former == nil ? call.answer.fire(after: .zero) : call.answer.disarm() }
    }

    func managerChanged() {
        noted(machine.isManaged ? .appeared : .vanished)
        // Calls to the former manager get no answer from it any more.
        for number in calls.keys.sorted() { calls.removeValue(forKey: number)?.completion(.absent) }
    }
}
