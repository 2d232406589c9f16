// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

/// What a posted state does to the readings of the aspect's own source, and first readings.
@Suite struct PostedStateTests {
    @Test func postedStateStandsWhileTheSourceReadsTheSame() {
        var driver = BusDriver()
        #expect(driver.post(.level(5)))
        driver.report(.level(81))
        #expect(driver.bus.state(of: .battery).reading == .level(5))
        driver.report(.level(80))
        #expect(driver.bus.state(of: .battery).reading == .level(80))
    }

    @Test func refreshEndsAPostedState() {
        var driver = BusDriver()
        driver.post(.level(5))
        driver.bus.expectRefresh(of: .battery)
        driver.report(.level(81))
        #expect(driver.bus.state(of: .battery).reading == .level(81))
    }

    @Test func firstReadingUnderAPostedStateIsOnlyItsBaseline() {
        var bus = Bus(instance: "one", history: 4, at: Timestamp(microseconds: 0))
        bus.post(.level(5), at: Timestamp(microseconds: 1))
        bus.report(.level(81), at: Timestamp(microseconds: 2))
        #expect(bus.state(of: .battery).reading == .level(5))
        bus.report(.level(80), at: Timestamp(microseconds: 3))
        #expect(bus.state(of: .battery).reading == .level(80))
    }

    @Test func firstReadingIsStateAndNotAChange() {
        var bus = Bus(instance: "one", history: 4, at: Timestamp(microseconds: 0))
        let id = SubscriptionID(rawValue: 1)
        _ = bus.subscribe(SubscriptionRequest(), as: id)
        bus.release(.unread, from: id)
        #expect(bus.report(.level(81), at: Timestamp(microseconds: 1)) == .established)
        #expect(bus.nextDelivery() == nil)
        #expect(bus.state(of: .battery).generation == 0)
    }

    @Test func firstReadingIsAChangeForThoseWhoWereToldThatThereIsNone() {
        var bus = Bus(instance: "one", history: 4, at: Timestamp(microseconds: 0))
        let id = SubscriptionID(rawValue: 1)
        _ = bus.subscribe(SubscriptionRequest(wantsInitial: true), as: id)
        bus.release(.unread, from: id)
        #expect(bus.report(.level(81), at: Timestamp(microseconds: 1)) == .changed)
        #expect(bus.nextDelivery()?.events.map(\.reading) == [.level(81)])
    }

    @Test("B83") func postWithoutSubscribersIsKept() {
        var driver = BusDriver()
        driver.post(.pose(.faceDown))
        #expect(driver.bus.state(of: .orientation).reading == .pose(.faceDown))
        #expect(driver.read().isEmpty)
    }

    @Test func postedSettingsListAllKeys() {
        var driver = BusDriver()
        driver.report(.settings(["app": ["a": 7]]))
        let id = driver.subscribe()
        driver.post(.settings(["app": ["a": 0, "b": 0]]))
        _ = driver.read()
        driver.post(.settings(["app": ["a": 0, "b": 0, "c": 0]]))
        #expect(driver.events(of: id).first?.settings.map(\.keys) == [["a", "b", "c"]])
    }

    @Test func equalPostIsNoChange() {
        var driver = BusDriver()
        #expect(driver.post(.level(5)))
        #expect(!driver.post(.level(5)))
        #expect(driver.bus.state(of: .battery).generation == 1)
    }
}
