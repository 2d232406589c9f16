// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The state of the login manager, as far as known, and the lock that delays the sleep of the machine, as values: inputs
/// in, effects out.
///
/// The message bus and the login manager may each be absent, slow, silent, unwilling or new at any time. A login manager
/// that is new gets a new connection, so that nothing of another one is left.
package struct DelayLock: Sendable {
    /// How much of the login manager is needed.
    package enum Need: Sendable, Hashable, Comparable { case nothing, announcements, lock }

    package enum Input: Sendable, Hashable {
        case needed(Need)
        case connected
        /// There is no message bus, or it has ended the connection.
        case lost(String)
        /// A login manager has come to the message bus, or has left it.
        case appeared, vanished
        case announced(isPreparing: Bool)
        /// The longest delay is in microseconds; `nil` if the manager does not say.
        case answered(isPreparing: Bool, longestDelay: UInt64?)
        case unanswered(LoginFailure)
        case locked
        case unlocked(LoginFailure)
        /// The machine may sleep.
        case released
        /// The time to wait is over.
        case due
    }

    package enum Effect: Sendable, Hashable {
        case connect, disconnect
        case ask(within: Duration)
        case lock(within: Duration)
        case wait(Duration)
        case warn(String)
        /// Notifies the followers: the longest delay in microseconds if the machine prepares to sleep, `nil` if not.
        case tell(UInt64?)
    }

    private enum Manager: Hashable {
        /// There is no connection.
        case none, away(String)
        case new, silent, absent(String), awake, preparing
    }

    private enum Lock: Hashable {
        case none, asked(within: Duration), held, refused(String)
        /// The machine may sleep, and the next lock follows the sleep.
        case released
    }

    /// The pauses between attempts to connect, which double.
    private static let shortestPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(60)
    /// How long the first call may take.
    ///
    /// It doubles without a pause, so that one call always waits for a manager that is stopped, of the few that the message
    /// bus allows. A busy manager takes a second or three.
    private static let shortestPatience: Duration = .seconds(4)
    /// How long the machine may prepare before the manager is asked whether it still does.
    private static let preparationTime: Duration = .seconds(30)
    /// The delay that login managers allow unless they are configured otherwise, in microseconds.
    private static let usualDelay: UInt64 = 5_000_000
    private static let trouble = "the sleep of the machine cannot be delayed: "

    private var need = Need.nothing
    private var pause = DelayLock.shortestPause
    private var manager = Manager.none
    private var lock = Lock.none
    /// How long the question that waits for an answer may take; `nil` if there is none.
    private var question: Duration?
    private var longestDelay = DelayLock.usualDelay

    package init() {}

    /// Whether the lock is kept; when this becomes false, it is closed.
    package var isHeld: Bool { lock == .held }

    /// Takes an input, and returns its effects in order; the state has then changed already.
    package mutating func take(_ input: Input) -> [Effect] {
        switch input {
        case .needed(let next): return setNeed(next)
        case .connected:
            (manager, question, longestDelay) = (.new, Self.shortestPatience, Self.usualDelay)
            return [.ask(within: Self.shortestPatience)] + request()
        case .lost(let reason):
            defer { pause = min(pause * 2, Self.longestPause) }
            return [.disconnect, .wait(pause)] + leave(.away(reason))
        case .appeared:
            (manager, lock) = (.none, .none)
            return [.disconnect, .connect]
        case .vanished, .unanswered(.absent), .unlocked(.absent): return leave(.absent("there is no login manager"))
        case .unanswered(.refused(let reason)):
            guard question != nil else { return [] }
            (manager, question) = (.absent("the login manager refuses to report its state: \(reason)"), nil)
            return [.tell(nil)]
        case .announced(let isPreparing): return note(isPreparing, isAnnounced: true)
        case .answered(let isPreparing, let longestDelay):
            self.longestDelay = longestDelay ?? Self.usualDelay
            return note(isPreparing, isAnnounced: false)
        case .unanswered(.late):
            guard let patience = question else { return [] }
            (manager, question) = (.silent, patience * 2)
            if lock == .released { lock = .none }
            return [.ask(within: patience * 2)] + request() + [.tell(nil)]
        case .locked: if case .asked = lock { lock = need == .lock ? .held : .none }
        case .unlocked(.refused(let reason)):
            guard case .asked = lock else { return [] }
            lock = .refused(reason)
            return [.warn(Self.trouble + reason)]
        case .unlocked(.late):
            guard case .asked(let patience) = lock else { return [] }
            lock = need == .lock ? .asked(within: patience * 2) : .none
            guard need == .lock else { return [] }
            let isFirst = patience == Self.shortestPatience
            return [.lock(within: patience * 2)]
                + (isFirst ? [.warn(Self.trouble + "the login manager does not answer")] : [])
        case .released: if manager == .preparing { lock = .released }
        case .due:
            if case .away = manager { return [.connect] }
            guard manager == .preparing else { return [] }
            question = Self.shortestPatience
            return [.ask(within: Self.shortestPatience)]
        }
        return []
    }

    private mutating func setNeed(_ next: Need) -> [Effect] {
        let last = need
        need = next
        switch manager {
        case _ where next == .nothing && last != .nothing:
            (manager, lock) = (.none, .none)
            return [.disconnect]
        // A newcomer may try at once.
        case .none, .away: return next > last ? [.connect] : []
        default: return request()
        }
    }

    /// Asks for the lock if it is needed and missing, and gives it up if it is not needed.
    ///
    /// A request that waits and a refusal remain, so that programs which come and go cannot repeat it at their pace.
    private mutating func request() -> [Effect] {
        if need < .lock, lock == .held { lock = .none }
        guard need == .lock, lock == .none, [.new, .silent, .awake].contains(manager) else { return [] }
        lock = .asked(within: Self.shortestPatience)
        return [.lock(within: Self.shortestPatience)]
    }

    /// Takes a sign of life.
    private mutating func note(_ isPreparing: Bool, isAnnounced: Bool) -> [Effect] {
        let hasChanged = isAnnounced || manager == .preparing
        (pause, question) = (Self.shortestPause, nil)
        manager = isPreparing ? .preparing : .awake
        guard !isPreparing else { return [.wait(Self.preparationTime), .tell(longestDelay)] }
        switch lock {
        case .asked(let patience) where patience > Self.shortestPatience: lock = .none
        // A refusal may be over.
        case .refused where hasChanged: lock = .none
        case .released: lock = .none
        default: break
        }
        return request() + [.tell(nil)]
    }

    /// Waits for another connection or manager.
    private mutating func leave(_ manager: Manager) -> [Effect] {
        (self.manager, lock, question) = (manager, .none, nil)
        return [.tell(nil)]
    }

    /// The source of the announcements, in words for a person.
    package var source: String {
        switch (lock, manager) {
        case (.held, _): "the clocks and the login manager, with a delay lock"
        case (_, .none): "the clocks, and the login manager if there is one"
        case (_, .new): "the clocks, until the login manager answers"
        case (_, .silent): "the clocks, since the login manager does not answer"
        case (_, .away(let reason)), (_, .absent(let reason)): "the clocks, since \(reason)"
        case (.asked(let patience), _) where patience > Self.shortestPatience:
            "the clocks and the login manager, which does not answer the request for a delay lock"
        case (.refused(let reason), _): "the clocks and the login manager, which refuses a delay lock: \(reason)"
        case _: "the clocks and the login manager"
        }
    }
}

/// Why a call to the login manager has no result.
package enum LoginFailure: Error, Sendable, Hashable {
    /// There was no answer in time; a later call may have one.
    case late
    case absent
    /// Another call would be refused too, until something changes.
    case refused(String)
}

/// A connection to the login manager, which ends when this is released; loop thread only.
package protocol LoginManager: AnyObject {
    /// Called with the events of the connection: announcements, arrivals, departures, and its end.
    var noted: (DelayLock.Input) -> Void { get set }

    /// Asks for the state, and calls back once with `answered` or `unanswered`.
    func ask(within patience: Duration, then completion: @escaping (DelayLock.Input) -> Void)

    /// Takes a lock that delays the sleep of the machine until it is released.
    func lock(within patience: Duration, then completion: @escaping (Result<AnyObject, LoginFailure>) -> Void)
}
