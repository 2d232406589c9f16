// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

/// The interaction of posted states with the readings of an aspect's own source, and first readings.
@Suite struct PostedStateTests {
    @Test func postedStateRemainsWhileTheSourceIsUnchanged() {
        let driver = BusDriver()
        #expect(driver.post(.level(5)))
        driver.report(.level(81))
        #expect(driver.state(.battery).reading == .level(5))
        driver.report(.level(80))
        #expect(driver.state(.battery).reading == .level(80))
    }

    @Test func refreshEndsAPostedState() {
        let driver = BusDriver()
        driver.post(.level(5))
        driver.bus.expectRefresh(of: .battery)
        driver.report(.level(81))
        #expect(driver.state(.battery).reading == .level(81))
    }

    @Test func firstReadingUnderAPostedStateIsOnlyABaseline() {
        let driver = BusDriver(Bus(instance: "one", history: 4, at: Timestamp(microseconds: 0)))
        driver.bus.post(.level(5), at: Timestamp(microseconds: 1))
        driver.bus.report(.level(81), at: Timestamp(microseconds: 2))
        #expect(driver.state(.battery).reading == .level(5))
        driver.bus.report(.level(80), at: Timestamp(microseconds: 3))
        #expect(driver.state(.battery).reading == .level(80))
    }

    @Test func firstReadingIsNotAChange() {
        let driver = BusDriver(Bus(instance: "one", history: 4, at: Timestamp(microseconds: 0)))
        let id = SubscriptionID(rawValue: 1)
        _ = driver.bus.subscribe(SubscriptionRequest(), as: id)
        driver.bus.release(.unread, from: id)
        #expect(driver.bus.report(.level(81), at: Timestamp(microseconds: 1)) == .established)
        #expect(driver.bus.nextDelivery() == nil)
        #expect(driver.state(.battery).generation == 0)
    }

    @Test func firstReadingIsAChangeAfterAnUnknownInitialState() {
        let driver = BusDriver(Bus(instance: "one", history: 4, at: Timestamp(microseconds: 0)))
        let id = SubscriptionID(rawValue: 1)
        _ = driver.bus.subscribe(SubscriptionRequest(wantsInitial: true), as: id)
        driver.bus.release(.unread, from: id)
        #expect(driver.bus.report(.level(81), at: Timestamp(microseconds: 1)) == .changed)
        #expect(driver.bus.nextDelivery()?.events.map(\.reading) == [.level(81)])
    }

    @Test func postedStateSurvivesARestart() {
        let driver = BusDriver()
        driver.post(.level(5))
        let later = BusDriver(Bus(restoring: driver.bus.savedState, history: 4, at: driver.now))
        later.report(.level(81))
        #expect(later.state(.battery).reading == .level(5))
        later.report(.level(80))
        #expect(later.state(.battery).reading == .level(80))
        let last = BusDriver(Bus(restoring: driver.bus.savedState, history: 4, at: driver.now))
        last.report(.level(79))
        #expect(last.state(.battery).reading == .level(79), "the source changed while the bus was down")
    }

    @Test("B83: a posted state without subscribers is kept") func postWithoutSubscribersIsKept() {
        let driver = BusDriver()
        driver.post(.pose(.faceDown))
        #expect(driver.state(.orientation).reading == .pose(.faceDown))
        #expect(driver.read().isEmpty)
    }

    @Test func postedSettingsListAllKeys() {
        let driver = BusDriver()
        driver.report(.settings(["app": ["a": 7]]))
        let id = driver.subscribe()
        driver.post(.settings(["app": ["a": 0, "b": 0]]))
        _ = driver.read()
        driver.post(.settings(["app": ["a": 0, "b": 0, "c": 0]]))
        #expect(driver.events(of: id).first?.settings.map(\.keys) == [["a", "b", "c"]])
    }

    @Test func equalPostIsNotAChange() {
        let driver = BusDriver()
        #expect(driver.post(.level(5)))
        #expect(!driver.post(.level(5)))
        #expect(driver.state(.battery).generation == 1)
    }
}
