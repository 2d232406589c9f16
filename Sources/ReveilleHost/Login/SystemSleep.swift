// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// The sleep of this machine, which logind or elogind announces (org.freedesktop.login1).
///
/// It is connected to the system's message bus only while someone is interested. It carries out the effects of
/// ``DelayLock``. The clocks show the time asleep without a login manager.
package final class SystemSleep: MachineSleep {
    /// How long a question of others may take.
    private static let answerTime: Duration = .milliseconds(900)

    package let interests = SleepInterests()
    package var announced: (UInt64?) -> Void = { _ in }
    private let connect: () throws(SystemError) -> any LoginManager
    private let measure: () -> UInt64
    private let warn: (String) -> Void
    private let later: DeferredCalls
    private var timer: (any LoopSource)?
    private var state = DelayLock()
    private var login: (any LoginManager)?
    private var lock: AnyObject?
    /// The questions of others, by number; they end with the connection.
    private var questions: [Int: (Bool?) -> Void] = [:]
    private var lastQuestion = 0

    /// Creates the sleep of a machine that is not watched yet; `warn` takes lines for the log.
    package init(
        loop: any Loop, connect: @escaping () throws(SystemError) -> any LoginManager,
        timeAsleep: @escaping () -> UInt64 = Clocks.asleep, warn: @escaping (String) -> Void
    ) throws(SystemError) {
        self.connect = connect
        self.warn = warn
        measure = timeAsleep
        later = DeferredCalls(loop: loop)
        timer = try loop.timer { [weak self] in self?.take(.due) }
        // A follower that another one replaces leaves no trace.
        interests.changed = { [weak self] in self?.later.add { [weak self] in self?.updateNeed() } }
    }

    package convenience init(loop: EventLoop, warn: @escaping (String) -> Void) throws(SystemError) {
        try self.init(
            loop: loop, connect: { () throws(SystemError) in try LoginConnection(loop: loop) }, warn: warn)
    }

    package var timeAsleep: UInt64 { measure() }
    package var source: String { state.source }
    package var isDelayed: Bool { state.isHeld }

    package func letSleep() { take(.released) }

    // MARK: - Questions

    package func ask(then completion: @escaping (Bool?) -> Void) {
        lastQuestion += 1
        let number = lastQuestion
        questions[number] = completion
        updateNeed()
        guard let login else { return end(number, nil) }
        login.ask(within: Self.answerTime) { [weak self] input in
            guard let self, questions[number] != nil else { return }
            guard case .answered(let isPreparing, _) = input else { return end(number, nil) }
            take(input)
            end(number, isPreparing)
        }
    }

    private func end(_ number: Int, _ answer: Bool?) {
        questions.removeValue(forKey: number)?(answer)
        updateNeed()
    }

    private func updateNeed() {
        let isFollowed = !interests.isEmpty || !questions.isEmpty
        take(.needed(interests.wantDelay ? .lock : isFollowed ? .announcements : .nothing))
    }

    // MARK: - Effects

    private func take(_ input: DelayLock.Input) {
        let effects = state.take(input)
        if !state.isHeld { lock = nil }
        for effect in effects { perform(effect) }
    }

    private func perform(_ effect: DelayLock.Effect) {
        switch effect {
        case .connect: open()
        case .disconnect: close()
        case .ask(let patience):
            login?.ask(within: patience) { [weak self, weak login] in
                if login != nil, self?.login === login { self?.take($0) }
            }
        case .lock(let patience):
            login?.lock(within: patience) { [weak self, weak login] result in
                guard let self, login != nil, self.login === login else { return }
                switch result {
                case .success(let granted):
                    take(.locked)
                    if state.isHeld { lock = granted }
                case .failure(let failure): take(.unlocked(failure))
                }
            }
        case .wait(let time): timer?.fire(after: time)
        case .warn(let line): warn(line)
        case .tell(let longestDelay):
            announced(longestDelay)
            interests.notify(isPreparing: longestDelay != nil)
        }
    }

    private func open() {
        do throws(SystemError) {
            let login = try connect()
            login.noted = { [weak self] in self?.take($0) }
            self.login = login
            take(.connected)
        } catch {
            take(.lost("there is no message bus: \(error)"))
        }
    }

    /// Ends the connection and its questions after its handlers have returned.
    private func close() {
        timer?.disarm()
        guard let login else { return }
        login.noted = { _ in }
        self.login = nil
        let numbers = questions.keys.sorted()
        later.add { [weak self] in
            withExtendedLifetime(login) {}
            for number in numbers { self?.end(number, nil) }
        }
    }
}
