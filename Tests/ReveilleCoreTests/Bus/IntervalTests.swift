// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

/// The `interval` of a policy, with a clock that advances on request.
@Suite struct IntervalTests {
    private let driver = BusDriver()

    private func subscribe(
        _ interval: Duration, background: Policy.Background = .coalesce, netChangeOnly: Bool = false,
        to aspects: AspectSet = [.battery]
    ) -> SubscriptionID {
        let policy = Policy(background: background, netChangeOnly: netChangeOnly, interval: interval)
        return driver.subscribe(
            SubscriptionRequest(aspects: aspects, policies: [.battery: policy, "org.*": policy]))
    }

    /// Advances the clock to the time for which the bus asks.
    private func passToNext() -> Int64? {
        guard let next = driver.bus.nextPaced else { return nil }
        let wait = Int64(next - driver.clock)
        driver.pass(wait)
        return wait
    }

    @Test("events come no sooner than the interval, exactly then, and with the last state")
    func eventsComeAtTheInterval() {
        let id = subscribe(.milliseconds(10))
        driver.report(.level(1))
        #expect(driver.events(of: id).map(\.changeCount) == [1], "the first event does not wait")
        #expect(driver.bus.nextPaced == nil)
        for level in 2...5 {
            driver.report(.level(level))
            #expect(driver.read().isEmpty)
        }
        driver.pass(5_999)
        #expect(driver.read().isEmpty)
        #expect(passToNext() == 1)
        let events = driver.events(of: id)
        #expect(events.map(\.changeCount) == [4])
        #expect(events.map(\.reading) == [.level(5)])
        #expect(driver.bus.nextPaced == nil)
    }

    // MARK: - Holds

    @Test("nothing waits for a time while a subscription is held or unread, and the interval continues after that")
    func nothingWaitsWhileHeld() {
        let id = subscribe(.milliseconds(10))
        driver.report(.level(1))
        let delivery = driver.nextDelivery()
        #expect(delivery?.events.count == 1)
        driver.report(.level(2))
        #expect(driver.nextDelivery() == nil && driver.bus.nextPaced == nil, "the reply is unread")
        driver.foreground(id, .unread)
        #expect(driver.nextDelivery() == nil && driver.bus.nextPaced == driver.clock + 9_000)
        driver.background(id)
        #expect(driver.bus.nextPaced == nil)
        driver.foreground(id)
        #expect(driver.read().isEmpty)
        #expect(passToNext() == 9_000)
        #expect(driver.events(of: id).count == 1)
        driver.background(id)
        driver.report(.level(3))
        driver.pass(20_000)
        driver.foreground(id)
        #expect(driver.events(of: id).count == 1, "the interval was over during the background")
    }

    @Test("a state that has come back does not wait with netChangeOnly") func returnedStateDoesNotWait() {
        let id = subscribe(.milliseconds(10), netChangeOnly: true)
        driver.report(.level(1))
        #expect(driver.events(of: id).count == 1)
        driver.background(id)
        driver.report(.level(2))
        driver.report(.level(1))
        driver.foreground(id)
        #expect(driver.read().isEmpty)
        #expect(driver.bus.nextPaced == nil)
    }

    // MARK: - Names

    @Test("a name that is withdrawn is forgotten once its interval is over") func withdrawnNameIsForgotten() {
        let id = subscribe(.milliseconds(10), to: ["org.*"])
        for value in ["{}", nil] { driver.publish("org.a", value) }
        #expect(driver.events(of: id).count == 1)
        driver.publish("org.b", "{}")
        driver.publish("org.b", nil)
        driver.pass(20_000)
        #expect(driver.events(of: id).map(\.aspect) == ["org.b"])
        #expect(driver.bus.names(of: 1).kept == 1)
        #expect(passToNext() == 10_000)
        #expect(driver.bus.names(of: 1).kept == 0)
        #expect(driver.bus.nextPaced == nil)
    }

    @Test("a name whose interval is over is forgotten as soon as all have seen its withdrawal")
    func seenNameIsForgottenAtOnce() {
        let paced = subscribe(.milliseconds(10), to: ["org.*"])
        let sleeper = driver.subscribe(SubscriptionRequest(aspects: ["org.*"], startsInBackground: true))
        driver.publish("org.a", "{}")
        #expect(driver.events(of: paced).count == 1)
        driver.publish("org.a", nil)
        #expect(driver.read().isEmpty)
        #expect(passToNext() == 9_000)
        #expect(driver.events(of: paced).count == 1)
        driver.pass(50_000)
        driver.foreground(sleeper)
        #expect(driver.events(of: sleeper).map(\.changeCount) == [2])
        #expect(driver.bus.names(of: 1).kept == 0)
        #expect(driver.bus.nextPaced == nil)
    }

    // MARK: - Limits

    @Test("an interval that no clock can represent never ends", arguments: [Int64.max, 31_536_000])
    func longIntervals(seconds: Int64) {
        let id = subscribe(.seconds(seconds))
        driver.report(.level(1))
        #expect(driver.events(of: id).count == 1)
        driver.report(.level(2))
        #expect(driver.read().isEmpty)
        #expect((driver.bus.nextPaced ?? 0) > UInt64(1) << 40)
    }

    @Test("posting visits ten thousand paced subscribers no more often than they take events")
    func postingDoesNotVisitWaitingSubscribers() {
        for _ in 0..<10_000 { _ = subscribe(.seconds(1)) }
        driver.report(.level(0))
        #expect(driver.read().count == 10_000)
        driver.report(.level(1))
        #expect(driver.read().isEmpty)
        let battery = driver.bus.logs[BuiltInAspect.battery.index]
        #expect(battery.listeners.isEmpty, "the next post visits no subscription")
        for level in 2...500 { driver.report(.level(level % 100)) }
        #expect(driver.bus.ready.isEmpty)
        _ = passToNext()
        #expect(driver.read().count == 10_000)
    }
}
