// SPDX-License-Identifier: Apache-2.0

import ReveilleHost
import Testing

/// What follows the login manager, as a value.
@Suite struct DelayLockTests {
    private static let first: Duration = .seconds(4)
    private static let awake = DelayLock.Input.answered(isPreparing: false, longestDelay: 5_000_000)
    private static let preparing = DelayLock.Input.answered(isPreparing: true, longestDelay: 7_000_000)
    private var lock = DelayLock()

    /// A lock that is needed, on a new connection.
    init() {
        #expect(lock.take(.needed(.lock)) == [.connect])
        #expect(lock.take(.connected) == [.ask(within: Self.first), .lock(within: Self.first)])
    }

    private mutating func take(_ inputs: DelayLock.Input...) -> [DelayLock.Effect] {
        inputs.reduce([]) { lock.take($1) }
    }

    @Test("a lock is held once it is granted, whatever happened to the question") mutating func lockIsGranted() {
        expect(take(.locked), [])
        #expect(lock.isHeld)
        expect(take(.unanswered(.late)), [.ask(within: .seconds(8)), .tell(nil)])
        #expect(lock.isHeld)
        #expect(lock.source == "the clocks and the login manager, with a delay lock")
    }

    @Test("a late answer is asked for again, with twice the patience, and an announcement ends this")
    mutating func lateAnswers() {
        expect(take(.unanswered(.late)), [.ask(within: .seconds(8)), .tell(nil)])
        #expect(lock.source == "the clocks, since the login manager does not answer")
        let warning = DelayLock.Effect.warn(
            "the sleep of the machine cannot be delayed: the login manager does not answer")
        expect(take(.unlocked(.late)), [.lock(within: .seconds(8)), warning])
        expect(take(.unlocked(.late)), [.lock(within: .seconds(16))])
        expect(take(.announced(isPreparing: false)), [.lock(within: Self.first), .tell(nil)])
        expect(take(.unanswered(.late)), [])
        expect(take(.locked), [])
        #expect(lock.isHeld)
    }

    @Test(
        "a refusal waits for an announcement, the end of a sleep or another login manager, but not for an answer",
        arguments: [.announced(isPreparing: false), .announced(isPreparing: true), .vanished] as [DelayLock.Input])
    mutating func refusal(end: DelayLock.Input) {
        expect(take(.unlocked(.refused("no"))), [.warn("the sleep of the machine cannot be delayed: no")])
        expect(take(Self.awake), [.tell(nil)])
        #expect(lock.source == "the clocks and the login manager, which refuses a delay lock: no")
        switch end {
        case .vanished:
            expect(take(.vanished), [.tell(nil)])
            expect(take(.appeared), [.disconnect, .connect])
            expect(take(.connected), [.ask(within: Self.first), .lock(within: Self.first)])
        case .announced(true):
            expect(take(end), [.wait(.seconds(30)), .tell(5_000_000)])
            expect(take(Self.awake), [.lock(within: Self.first), .tell(nil)])
        default: expect(take(end), [.lock(within: Self.first), .tell(nil)])
        }
    }

    @Test(
        "a lock that was let go is taken again at the end of the sleep, however this is known",
        arguments: [.announced(isPreparing: false), Self.awake, .unanswered(.late)] as [DelayLock.Input])
    mutating func nextLock(end: DelayLock.Input) {
        expect(take(.locked, Self.awake), [.tell(nil)])
        expect(take(.announced(isPreparing: true)), [.wait(.seconds(30)), .tell(5_000_000)])
        #expect(lock.isHeld)
        expect(take(.released), [])
        #expect(!lock.isHeld)
        expect(take(.due), [.ask(within: Self.first)])
        expect(take(.locked), [])
        #expect(!lock.isHeld)
        _ = lock.take(end)
        expect(take(.locked), [])
        #expect(lock.isHeld)
    }

    @Test("a machine that prepares is asked for no lock, and has its own longest delay")
    mutating func noLockBeforeASleep() {
        expect(take(.unlocked(.refused("no")), Self.preparing), [.wait(.seconds(30)), .tell(7_000_000)])
        expect(take(.needed(.announcements), .needed(.lock)), [])
    }

    @Test("a lock that nobody needs is closed, also if it is granted later") mutating func unneededLock() {
        expect(take(.needed(.announcements), .locked), [])
        #expect(!lock.isHeld)
        expect(take(.needed(.lock)), [.lock(within: Self.first)])
        expect(take(.locked), [])
        expect(take(.needed(.nothing)), [.disconnect])
        #expect(!lock.isHeld)
        #expect(lock.source == "the clocks, and the login manager if there is one")
    }

    @Test("programs that come and go repeat neither a request that waits nor a refused one")
    mutating func needThatChanges() {
        for _ in 0..<200 { expect(take(.needed(.announcements), .needed(.lock)), []) }
        expect(take(.locked), [])
        #expect(lock.isHeld)
        expect(take(.needed(.announcements), .needed(.lock)), [.lock(within: Self.first)])
        expect(take(.needed(.announcements), .unlocked(.late)), [])
        expect(take(.needed(.lock)), [.lock(within: Self.first)])
        expect(take(.unlocked(.refused("no"))), [.warn("the sleep of the machine cannot be delayed: no")])
        for _ in 0..<200 { expect(take(.needed(.announcements), .needed(.lock)), []) }
    }

    @Test("a connection that ends takes everything with it, and the pauses before the next double until it answers")
    mutating func lostConnection() {
        expect(take(.locked), [])
        expect(take(.lost("it is gone")), [.disconnect, .wait(.seconds(1)), .tell(nil)])
        #expect(!lock.isHeld)
        #expect(lock.source == "the clocks, since it is gone")
        expect(take(.due), [.connect])
        expect(take(.lost("it is gone")), [.disconnect, .wait(.seconds(2)), .tell(nil)])
        for _ in 0..<10 { _ = lock.take(.lost("it is gone")) }
        expect(take(.lost("it is gone")), [.disconnect, .wait(.seconds(60)), .tell(nil)])
        expect(take(.due, .connected), [.ask(within: Self.first), .lock(within: Self.first)])
        expect(take(Self.awake, .lost("again")), [.disconnect, .wait(.seconds(1)), .tell(nil)])
    }

    @Test("a login manager that tells nothing, but gives a lock and announces, is followed")
    mutating func refusedAnswer() {
        expect(take(.unanswered(.refused("no"))), [.tell(nil)])
        #expect(lock.source == "the clocks, since the login manager refuses to report its state: no")
        expect(take(.locked), [])
        #expect(lock.isHeld)
        expect(take(.announced(isPreparing: true), .released), [])
        expect(take(.announced(isPreparing: false)), [.lock(within: Self.first), .tell(nil)])
    }

    @Test("an absent login manager is awaited") mutating func absentManager() {
        expect(take(.unanswered(.absent)), [.tell(nil)])
        expect(take(.unlocked(.absent)), [.tell(nil)])
        #expect(lock.source == "the clocks, since there is no login manager")
        expect(take(.appeared), [.disconnect, .connect])
    }

    private func expect(_ effects: [DelayLock.Effect], _ expected: [DelayLock.Effect]) { #expect(effects == expected) }
}
