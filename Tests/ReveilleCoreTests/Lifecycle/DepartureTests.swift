// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct DepartureTests {
    private static let time = Departure.readingTime

    @Test("a program that reads both events departs at once") func readerDeparts() {
        var departure = Departure(at: 100)
        #expect(departure.next(at: 100, hasTasks: false, isRead: false) == nil)
        #expect(departure.next(at: 101, hasTasks: false, isRead: true) == .announce)
        #expect(departure.next(at: 101, hasTasks: false, isRead: false) == nil)
        #expect(departure.next(at: 102, hasTasks: false, isRead: true) == .carryOut)
    }

    @Test("a program that does not read departs after the reading time, all steps at once") func timeEnds() {
        var departure = Departure(at: 100)
        #expect(departure.deadline == 100 + Self.time)
        #expect(departure.next(at: 99 + Self.time, hasTasks: false, isRead: false) == nil)
        #expect(departure.next(at: 100 + Self.time, hasTasks: false, isRead: false) == .announce)
        #expect(departure.next(at: 100 + Self.time, hasTasks: false, isRead: false) == .carryOut)
    }

    @Test("B109: tasks keep a program from departing, and the reading time begins after them") func tasksComeFirst() {
        var departure = Departure(at: 0)
        #expect(departure.next(at: 10 * Self.time, hasTasks: true, isRead: true) == nil)
        #expect(departure.deadline == nil)
        #expect(departure.next(at: 20 * Self.time, hasTasks: false, isRead: false) == nil)
        #expect(departure.deadline == 21 * Self.time)
        #expect(departure.next(at: 20 * Self.time, hasTasks: false, isRead: true) == .announce)
        #expect(
            departure.next(at: 20 * Self.time, hasTasks: true, isRead: true) == nil, "a task begun at the last moment")
        #expect(departure.next(at: 20 * Self.time + 1, hasTasks: false, isRead: true) == .carryOut)
    }
}

@Suite struct FreezeStateTests {
    private static let time = FreezeState.answerTime
    private var state = FreezeState()

    @Test("a cgroup is frozen and thawed") mutating func freezeAndThaw() throws {
        let freeze = try one(state.want(frozen: true, at: 0))
        #expect(freeze.freezes && !state.isSettled)
        #expect(state.want(frozen: true, at: 1) == nil)
        #expect(state.answered(freeze.number, failure: nil, at: 2).outcome == .frozen)
        #expect(state.isFrozen && state.isSettled)
        let thaw = try one(state.want(frozen: false, at: 3))
        #expect(!thaw.freezes)
        #expect(state.answered(thaw.number, failure: nil, at: 4).outcome == .thawed)
        #expect(!state.isFrozen && state.isSettled && state.deadline == nil)
    }

    @Test("a wake during the freezing thaws after it") mutating func wakeDuringFreezing() throws {
        let freeze = try one(state.want(frozen: true, at: 0))
        #expect(state.want(frozen: false, at: 1) == nil)
        let (outcome, next) = state.answered(freeze.number, failure: nil, at: 2)
        #expect(outcome == .frozen && next?.freezes == false)
        #expect(state.answered(try one(next).number, failure: nil, at: 3).outcome == .thawed)
        #expect(state.isSettled)
    }

    @Test("a freeze that fails or is not answered is followed by a thaw") mutating func failedFreezeIsThawed() throws {
        for isExpired in [false, true] {
            let freeze = try one(state.want(frozen: true, at: 0))
            let (outcome, next) =
                isExpired ? state.expire(at: Self.time) : state.answered(freeze.number, failure: "why", at: 1)
            guard case .notFrozen = outcome else { throw Unexpected() }
            #expect(next?.freezes == false && !state.wantsFrozen)
            #expect(state.answered(try one(next).number, failure: nil, at: 2).outcome == .thawed)
            #expect(state.isSettled && !state.isFrozen)
            let late = state.answered(freeze.number, failure: nil, at: 3)
            #expect((late.next != nil) == isExpired, "a late success is undone")
            if let next = late.next { _ = state.answered(next.number, failure: nil, at: 4) }
        }
    }

    @Test("a thaw that fails leaves the cgroup frozen, and the next wake tries again")
    mutating func failedThawIsTriedAgain() throws {
        let freeze = try one(state.want(frozen: true, at: 0))
        _ = state.answered(freeze.number, failure: nil, at: 1)
        let thaw = try one(state.want(frozen: false, at: 2))
        #expect(state.expire(at: Self.time + 1) == (nil, nil))
        guard case .notThawed = state.expire(at: Self.time + 2).outcome else { throw Unexpected() }
        #expect(state.isFrozen && !state.isSettled)
        #expect(state.deadline == 2 * Self.time + 2, "it is tried again")
        let second = try one(state.want(frozen: false, at: Self.time + 3))
        #expect(state.answered(thaw.number, failure: nil, at: Self.time + 4) == (nil, nil))
        #expect(state.answered(second.number, failure: nil, at: Self.time + 5).outcome == .thawed)
    }

    @Test("a thaw that failed is tried again at its time") mutating func failedThawIsRepeated() throws {
        _ = state.answered(try one(state.want(frozen: true, at: 0)).number, failure: nil, at: 1)
        _ = state.answered(try one(state.want(frozen: false, at: 2)).number, failure: "why", at: 3)
        #expect(state.expire(at: Self.time + 2) == (nil, nil))
        let second = try one(state.expire(at: Self.time + 3).next)
        #expect(!second.freezes)
        #expect(state.answered(second.number, failure: nil, at: Self.time + 4).outcome == .thawed)
        #expect(state.isSettled && state.deadline == nil)
    }

    @Test("a thaw that fails while the cgroup is to be frozen again is followed by the freeze")
    mutating func failedThawBeforeFreeze() throws {
        _ = state.answered(try one(state.want(frozen: true, at: 0)).number, failure: nil, at: 1)
        let thaw = try one(state.want(frozen: false, at: 2))
        #expect(state.want(frozen: true, at: 3) == nil)
        let freeze = try one(state.answered(thaw.number, failure: "why", at: 4).next)
        #expect(freeze.freezes)
        #expect(state.answered(freeze.number, failure: nil, at: 5) == (.frozen, nil))
        #expect(state.isSettled && state.deadline == nil)
    }

    @Test("a thaw that is answered late has thawed the cgroup") mutating func lateThaw() throws {
        _ = state.answered(try one(state.want(frozen: true, at: 0)).number, failure: nil, at: 1)
        let thaw = try one(state.want(frozen: false, at: 2))
        _ = state.expire(at: Self.time + 2)
        #expect(state.answered(thaw.number, failure: nil, at: Self.time + 3).outcome == .thawed)
        #expect(!state.isFrozen && state.isSettled)
    }

    private struct Unexpected: Error {}

    private func one<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Unexpected() }
        return value
    }
}

private func == (
    one: (outcome: FreezeState.Outcome?, next: FreezeState.Request?),
    other: (FreezeState.Outcome?, FreezeState.Request?)
) -> Bool { one.outcome == other.0 && one.next == other.1 }
