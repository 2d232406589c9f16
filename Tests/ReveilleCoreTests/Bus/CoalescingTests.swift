// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// B1 to B17: merging changes into events.
@Suite struct CoalescingTests {
    private let driver = BusDriver()

    @Test("B1: a foreground subscriber gets each change in order") func foregroundGetsEachChangeInOrder() {
        let id = driver.subscribe()
        var events: [Event] = []
        for level in [80, 79, 78] {
            driver.report(.level(level))
            events += driver.events(of: id)
        }
        #expect(events.map(\.reading) == [.level(80), .level(79), .level(78)])
        #expect(events.allSatisfy { $0.changeCount == 1 && $0.firstChangedAt == $0.changedAt && $0.isNetChange })
    }

    @Test("B2: a wake delivers one event for many changes") func wakingGetsOneEventForManyChanges() {
        let id = driver.subscribe()
        driver.background(id)
        let times = [80, 79, 78].map { driver.report(.level($0)) }
        #expect(driver.read().isEmpty)
        driver.foreground(id)
        let events = driver.events(of: id)
        #expect(events.map(\.reading) == [.level(78)])
        #expect(events.map(\.changeCount) == [3])
        #expect(events.map(\.firstChangedAt) == [times[0]])
        #expect(events.map(\.changedAt) == [times[2]])
    }

    @Test(
        "B3 to B6, B13, B14: a wake delivers one event for each aspect that changed, without any later change",
        arguments: [
            ([], [], []), ([.level(80)], [.battery], [1]),
            ([.language("de_DE"), .level(80)], [.locale, .battery], [1, 1]),
            (
                [.language("de_DE"), .level(80), .language("fr_FR"), .level(79), .proximity(.near), .level(78)],
                [.locale, .proximity, .battery], [2, 1, 3]
            ),
            ([.level(80), .level(70, .charging)], [.battery], [2]),
        ] as [([Reading], [Aspect], [Int])])
    func wakeDeliversAnEventForEachChangedAspect(readings: [Reading], aspects: [Aspect], changes: [Int]) {
        let id = driver.subscribe()
        driver.background(id)
        for reading in readings { driver.report(reading) }
        driver.foreground(id)
        let deliveries = driver.read()
        #expect(deliveries.count == min(1, readings.count))
        let events = deliveries.flatMap(\.events)
        #expect(events.map(\.aspect) == aspects)
        #expect(events.map(\.changeCount) == changes)
        #expect(events.last?.reading == readings.last)
    }

    @Test("B7, B8: a hold affects only its own subscription") func oneSubscriptionIsHeldAlone() {
        let held = driver.subscribe()
        let live = driver.subscribe()
        driver.background(held)
        driver.report(.level(80))
        #expect(driver.read().map(\.subscription) == [live])
        driver.foreground(held)
        #expect(driver.read().map(\.subscription) == [held])
    }

    @Test(
        "B9, B16: zero, unknown and empty values are delivered",
        arguments: [
            (Reading.level(50), Reading.level(0)), (.pose(.portrait), .pose(.unknown)),
            (.proximity(.near), .proximity(.far)), (.settings(["a": ["k": 1]]), .settings([:])),
            (.level(50), .battery(.unknown)),
        ])
    func zeroUnknownAndEmptyAreDelivered(before: Reading, after: Reading) {
        driver.report(before)
        let id = driver.subscribe()
        #expect(driver.wake(id, after: after).map(\.reading) == [after])
    }

    @Test("B10: a value that changed and changed back is marked as such") func valueThatChangedBackIsMarked() {
        let id = driver.subscribe()
        driver.background(id)
        driver.report(.level(50))
        driver.report(.level(81))
        #expect(driver.pending(id, .battery) == 2)
        driver.foreground(id)
        let events = driver.events(of: id)
        #expect(events.map(\.reading) == [.level(81)])
        #expect(events.map(\.changeCount) == [2])
        #expect(events.map(\.isNetChange) == [false])
    }

    @Test("B11: a net-change policy omits values that changed back") func netChangeOnlyOmitsValuesThatChangedBack() {
        let id = driver.subscribe(SubscriptionRequest(policies: [.battery: Policy(netChangeOnly: true)]))
        #expect(driver.wake(id, after: .level(50), .level(81)).isEmpty)
        driver.report(.level(79))
        let events = driver.events(of: id)
        #expect(events.map(\.changeCount) == [3])
        #expect(events.map(\.isNetChange) == [true])
    }

    @Test("B12: an equal reading is not a change") func equalReadingIsNotAChange() {
        let id = driver.subscribe()
        driver.report(.level(81))
        #expect(driver.read().isEmpty)
        driver.report(.level(80))
        #expect(driver.events(of: id).map(\.changeCount) == [1])
    }

    @Test("B15: a settings event lists each changed key once") func settingsEventListsEachChangedKeyOnce() {
        driver.report(.settings(["app": ["a": 1, "b": 1, "c": 1], "other": ["x": 1], "still": ["y": 1]]))
        let id = driver.subscribe()
        let events = driver.wake(
            id, after: .settings(["app": ["a": 2, "b": 1, "c": 1], "other": ["x": 1], "still": ["y": 1]]),
            .settings(["app": ["a": 2, "b": 2, "c": 1], "other": ["x": 1], "still": ["y": 1]]),
            .settings(["app": ["a": 3, "b": 2, "c": 1], "other": ["x": 2], "still": ["y": 1]]))
        #expect(events.map(\.changeCount) == [3])
        #expect(events.first?.settings.map(\.domain) == ["app", "other"])
        #expect(events.first?.settings.map(\.keys) == [["a", "b"], ["x"]])
    }

    @Test("B28: merged changes keep the time of the first") func laterChangesKeepTheTimeOfTheFirst() {
        let id = driver.subscribe()
        let first = driver.report(.level(80))
        for level in stride(from: 79, to: 10, by: -1) { driver.report(.level(level)) }
        #expect(driver.events(of: id).map(\.firstChangedAt) == [first])
    }

    @Test("B44: a million changes are one event") func millionChangesAreOneEvent() {
        let id = driver.subscribe()
        driver.background(id)
        for round in 0..<1_000_000 { driver.report(.level(round % 2)) }
        driver.foreground(id)
        #expect(driver.events(of: id).map(\.changeCount) == [1_000_000])
    }
}
