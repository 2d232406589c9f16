// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// The interaction of posted states with the readings of an aspect's own source, and first readings.
@Suite struct PostedStateTests {
    private let driver = BusDriver()

    @Test func postedStateRemainsWhileTheSourceIsUnchanged() {
        #expect(driver.post(.level(5)))
        driver.report(.level(81))
        #expect(driver.state(.battery).reading == .level(5))
        driver.report(.level(80))
        #expect(driver.state(.battery).reading == .level(80))
    }

    @Test func refreshEndsAPostedState() {
        driver.post(.level(5))
        driver.bus.expectRefresh(of: .battery)
        driver.report(.level(81))
        #expect(driver.state(.battery).reading == .level(81))
    }

    @Test func firstReadingUnderAPostedStateIsOnlyABaseline() {
        let driver = BusDriver(restoring: SavedState(instance: "one"))
        driver.post(.level(5))
        driver.report(.level(81))
        #expect(driver.state(.battery).reading == .level(5))
        driver.report(.level(80))
        #expect(driver.state(.battery).reading == .level(80))
    }

    @Test func firstReadingIsNotAChange() {
        let driver = BusDriver(restoring: SavedState(instance: "one"))
        _ = driver.subscribe()
        let isNew = driver.bus.report(.level(81), at: driver.now)
        #expect(isNew)
        #expect(driver.nextDelivery() == nil)
        #expect(driver.state(.battery).generation == 0)
    }

    @Test func firstReadingIsAChangeAfterAnUnknownInitialState() {
        let driver = BusDriver(restoring: SavedState(instance: "one"))
        _ = driver.subscribe(SubscriptionRequest(wantsInitial: true))
        let isNew = driver.bus.report(.level(81), at: driver.now)
        #expect(isNew)
        #expect(driver.nextDelivery()?.events.map(\.reading) == [.level(81)])
    }

    @Test func postedStateSurvivesARestart() {
        driver.post(.level(5))
        let later = BusDriver(restoring: driver.bus.savedState)
        later.report(.level(81))
        #expect(later.state(.battery).reading == .level(5))
        later.report(.level(80))
        #expect(later.state(.battery).reading == .level(80))
        let last = BusDriver(restoring: driver.bus.savedState)
        last.report(.level(79))
        #expect(last.state(.battery).reading == .level(79), "the source changed while the bus was down")
    }

    @Test("B83: a posted state without subscribers is kept") func postWithoutSubscribersIsKept() {
        driver.post(.pose(.faceDown))
        #expect(driver.state(.orientation).reading == .pose(.faceDown))
        #expect(driver.read().isEmpty)
    }

    @Test func postedSettingsListAllKeys() {
        driver.report(.settings(["app": ["a": 7]]))
        let id = driver.subscribe()
        driver.post(.settings(["app": ["a": 0, "b": 0]]))
        _ = driver.read()
        driver.post(.settings(["app": ["a": 0, "b": 0, "c": 0]]))
        #expect(driver.events(of: id).first?.settings.map(\.keys) == [["a", "b", "c"]])
    }

    @Test func equalPostIsNotAChange() {
        #expect(driver.post(.level(5)))
        #expect(!driver.post(.level(5)))
        #expect(driver.state(.battery).generation == 1)
    }

    @Test func askingBeforeTheFirstReadingDoesNotMakeItAChange() {
        let driver = BusDriver(restoring: SavedState(instance: "one"))
        #expect(driver.bus.changes(of: .battery).isEmpty)
        driver.report(.level(80))
        #expect(driver.bus.changes(of: .battery).isEmpty)
        #expect(driver.state(.battery).generation == 0)
    }
}
