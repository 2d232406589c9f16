// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The sleep of this machine, which logind or elogind announces (org.freedesktop.login1).
///
/// It is connected to the system's message bus only while someone is interested. A message bus or a login manager that is
/// absent or ends is awaited. The clocks show the time asleep without either.
package final class SystemSleep: MachineSleep {
    /// How long a call may take.
    private static let timeout: Duration = .milliseconds(900)
    /// The delay that login managers allow unless they are configured otherwise, in microseconds.
    private static let usualDelay: UInt64 = 5_000_000

    /// The pauses between attempts to connect, which double.
    private static let shortestPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(60)

    package let interests = SleepInterests()
    package var announced: (UInt64?) -> Void = { _ in }
    private let loop: EventLoop
    private let warn: (String) -> Void
    private let measure: () -> UInt64
    private let later: DeferredCalls
    private var retry: EventSource?
    private var pause = SystemSleep.shortestPause
    private var login: LoginConnection?
    private var questions = 0
    private var longestDelay = SystemSleep.usualDelay
    /// Why there are no announcements; `nil` while there are, or nobody is interested.
    private var absence: String?
    private var lock: SleepLock?
    private var isLocking = false
    private var mayLock = true

    /// Creates the sleep of a machine that is not watched yet; `warn` takes lines for the log.
    package init(
        loop: EventLoop, timeAsleep: @escaping () -> UInt64 = Clocks.asleep, warn: @escaping (String) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.warn = warn
        measure = timeAsleep
        later = DeferredCalls(loop: loop)
        retry = try loop.timer { [weak self] in self?.update() }
        interests.changed = { [weak self] in self?.update() }
    }

    package var timeAsleep: UInt64 { measure() }

    package var source: String {
        if let absence { return "the clocks, since \(absence)" }
        if interests.isEmpty { return "the clocks, and the login manager if there is one" }
        return lock == nil ? "the clocks and the login manager" : "the clocks and the login manager, with a delay lock"
    }

    package func ask(then completion: @escaping (Bool?) -> Void) {
        questions += 1
        update()
        let end = { [weak self] (answer: Bool?) in
            completion(answer)
            self?.questions -= 1
            self?.update()
        }
        guard let login else { return end(nil) }
        login.ask(within: Self.timeout) { end($0?.isPreparing) }
    }

    package func letSleep() {
        lock = nil
        mayLock = false
    }

    // MARK: - Connection

    /// Connects, disconnects, locks or unlocks, as is wanted now.
    private func update() {
        guard !interests.isEmpty || questions > 0 else { return disconnect() }
        if login == nil { connect() }
        updateLock()
    }

    private func connect() {
        retry?.disarm()
        do throws(SystemError) {
            let login = try LoginConnection(loop: loop)
            login.ended = { [weak self] in self?.lose("the message bus has ended the connection") }
            login.announced = { [weak self] in self?.note(isPreparing: $0) }
            login.appeared = { [weak self] in self?.readAll() }
            self.login = login
            readAll()
        } catch {
            lose("there is no message bus: \(error)")
        }
    }

    private func readAll() {
        mayLock = false
        lock = nil
        login?.ask(within: Self.timeout) { [weak self] state in
            guard let self, login != nil else { return }
            absence = state == nil ? "the login manager does not answer" : nil
            longestDelay = state?.longestDelay ?? Self.usualDelay
            if state != nil { pause = Self.shortestPause }
            note(isPreparing: state?.isPreparing ?? false)
        }
    }

    private func lose(_ reason: String) {
        absence = reason
        lock = nil
        isLocking = false
        drop()
        guard !interests.isEmpty else { return }
        retry?.fire(after: pause)
        pause = min(pause * 2, Self.longestPause)
        note(isPreparing: false)
    }

    private func disconnect() {
        retry?.disarm()
        absence = nil
        lock = nil
        drop()
    }

    /// Releases the connection after its handlers have returned.
    private func drop() {
        guard let login else { return }
        login.silence()
        self.login = nil
        later.add { withExtendedLifetime(login) {} }
    }

    // MARK: - Announcements

    private func note(isPreparing: Bool) {
        mayLock = !isPreparing && absence == nil
        announced(isPreparing ? longestDelay : nil)
        interests.notify(isPreparing: isPreparing)
        updateLock()
    }

    // MARK: - Lock

    private func updateLock() {
        guard interests.wantDelay else { return lock = nil }
        guard lock == nil, !isLocking, mayLock, let login else { return }
        isLocking = true
        login.lock(within: Self.timeout) { [weak self] result in
            guard let self, self.login === login else { return }
            isLocking = false
            switch result {
            case .success(let lock): if mayLock { self.lock = lock }
            case .failure(let error):
                // Until the next announcement or login manager, another attempt would fail too.
                mayLock = false
                warn("the sleep of the machine cannot be delayed: \(error)")
            }
            if !interests.wantDelay { self.lock = nil }
        }
    }
}
