// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

/// B47 to B54, as far as they need no socket: first replies, positions, restarts.
@Suite struct ResumeTests {
    @Test("B47, B48: initial state comes at once and nothing twice") func initialStateComesAtOnceAndNothingTwice() {
        let driver = BusDriver()
        driver.report(.level(80))
        let (id, start) = driver.start(SubscriptionRequest(wantsInitial: true))
        #expect(Set(start.events.map(\.aspect)) == Set(Aspect.allCases))
        #expect(start.events.allSatisfy { $0.changes == 0 })
        #expect(start.resumed == nil)
        #expect(driver.read().isEmpty)
        driver.report(.level(79))
        #expect(driver.events(of: id).map(\.changes) == [1])
    }

    @Test("B50: nothing changed means no event") func nothingChangedMeansNoEvent() {
        let driver = BusDriver()
        driver.report(.level(80))
        let generation = driver.state(.battery).generation
        let request = SubscriptionRequest(instance: "one", positions: [.battery: generation])
        let start = driver.start(request).start
        #expect(start.resumed == true)
        #expect(start.events.isEmpty)
    }

    @Test("B51: positions get the difference") func positionsGetTheDifference() {
        let driver = BusDriver()
        let id = driver.subscribe()
        driver.bus.cancel(id)
        let first = driver.report(.level(80))
        for level in [79, 78, 77] { driver.report(.level(level)) }
        let start = driver.start(SubscriptionRequest(instance: "one", positions: [.battery: 0])).start
        #expect(start.resumed == true)
        #expect(start.events.map(\.changes) == [4])
        #expect(start.events.map(\.firstChangedAt) == [first])
        #expect(start.events.map(\.reading) == [.level(77)])
    }

    @Test("B51: other instance gets the current state", arguments: ["two", nil]) func otherInstanceGetsTheCurrentState(
        instance: String?
    ) {
        let driver = BusDriver()
        driver.report(.level(80))
        let start = driver.start(SubscriptionRequest(instance: instance, positions: [.battery: 1])).start
        #expect(start.resumed == false)
        #expect(start.events.count == 5)
        #expect(start.events.allSatisfy { $0.changes == 0 })
    }

    @Test func positionAheadOfTheBusGetsTheCurrentState() {
        let driver = BusDriver()
        driver.report(.level(80))
        let start = driver.start(SubscriptionRequest(instance: "one", positions: [.battery: 2])).start
        #expect(start.resumed == false)
        #expect(start.events.count == 5)
    }

    @Test func initialFillsWhatDidNotChangeSinceThePositions() {
        let driver = BusDriver()
        driver.report(.level(80))
        let request = SubscriptionRequest(
            wantsInitial: true, instance: "one", positions: [.battery: 0, .proximity: 0])
        let start = driver.start(request).start
        #expect(
            Dictionary(uniqueKeysWithValues: start.events.map { ($0.aspect, $0.changes) })
                == [.battery: 1, .proximity: 0, .locale: 0, .defaults: 0, .orientation: 0])
    }

    @Test("B52: resuming beside the old connection makes a second subscription")
    func resumingBesideTheOldConnectionMakesASecondSubscription() {
        let driver = BusDriver()
        let old = driver.subscribe()
        let new = driver.start(SubscriptionRequest(instance: "one", positions: [:])).id
        driver.report(.level(80))
        #expect(driver.read().map(\.subscription) == [old, new])
        driver.bus.cancel(old)
        driver.report(.level(79))
        #expect(driver.read().map(\.subscription) == [new])
    }

    @Test("B54: restart goes on with the same generations") func restartGoesOnWithTheSameGenerations() {
        let driver = BusDriver()
        driver.report(.level(80))
        driver.report(.settings(["app": ["a": 1, "b": 1]]))
        let later = BusDriver(Bus(restoring: driver.bus.savedState, history: 256, at: driver.now))
        #expect(later.bus.instance == "one")
        later.bus.report(.level(80), at: driver.now)
        #expect(later.state(.battery).generation == 1)
        later.bus.report(.level(70), at: driver.now)
        #expect(later.state(.battery).generation == 2)
        #expect(later.state(.battery).sequence == 3)
        later.bus.report(.settings(["app": ["a": 2, "b": 1]]), at: driver.now)
        let request = SubscriptionRequest(instance: "one", positions: [.battery: 1, .defaults: 0])
        let start = later.bus.subscribe(request, as: SubscriptionID(rawValue: 9))
        #expect(start.events.map(\.changes) == [1, 2])
        // What changed before the restart is not known by key any more.
        #expect(start.events.last?.settings.map(\.keys) == [["a", "b"]])
    }

    @Test func positionOlderThanTheLogIsAnsweredFromItsEnd() {
        let driver = BusDriver(history: 4)
        for level in 0..<20 { driver.report(.level(level)) }
        let start = driver.start(SubscriptionRequest(instance: "one", positions: [.battery: 3])).start
        #expect(start.events.map(\.changes) == [17])
        #expect(start.events.map(\.netChange) == [true])
    }
}
