// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

/// Names that come and go while subscribers to patterns sleep.
@Suite struct ForgettingTests {
    private let driver = BusDriver()

    private func comeAndGo(_ names: Range<Int>) throws {
        for number in names {
            let name = try #require(Aspect("org.n\(number)"))
            driver.publish(name, "{}")
            driver.publish(name, nil)
            driver.bus.limitWithdrawnNames(of: 1, to: 10)
        }
    }

    @Test("a sleeping subscriber makes the bus keep a limited number of names that come and go")
    func sleeperKeepsFewNames() throws {
        let sleeper = driver.subscribe(SubscriptionRequest(aspects: ["org.*", "org.seen.*"]))
        driver.publish("org.seen.a", "{}")
        _ = driver.read()
        driver.background(sleeper)
        driver.publish("org.seen.a", nil)
        try comeAndGo(0..<1_000)
        #expect(driver.bus.names(of: 1).kept <= 22, "at most twice the limit")
        #expect(driver.violations.isEmpty)
        driver.foreground(sleeper)
        let events = driver.events(of: sleeper)
        #expect(events.first?.aspect == "org.seen.a" && events.first?.netChange == true, "what was seen is never lost")
        #expect(events.allSatisfy { $0.published?.isWithdrawn == true })
        #expect(driver.bus.names(of: 1).kept == 0)
        driver.publish("org.n1", "{}")
        #expect(driver.events(of: sleeper).map(\.changes) == [1])
        #expect(driver.violations.isEmpty)
    }

    @Test("a subscriber with a long interval makes the bus keep a limited number of names that come and go")
    func longIntervalKeepsFewNames() throws {
        let id = driver.subscribe(
            SubscriptionRequest(aspects: ["org.*"], policies: ["org.*": Policy(interval: .seconds(1_000_000))]))
        var changes = 0
        for number in 0..<1_000 {
            let name = try #require(Aspect("org.n\(number)"))
            driver.bus.limitWithdrawnNames(of: 1, to: 10)
            driver.publish(name, "{}")
            changes += driver.events(of: id).reduce(0) { $0 + $1.changes }
            driver.publish(name, nil)
            changes += driver.events(of: id).reduce(0) { $0 + $1.changes }
            #expect(driver.bus.names(of: 1).kept <= 12)
            #expect(driver.violations.isEmpty)
        }
        driver.bus.limitWithdrawnNames(of: 1, to: 0)
        changes += driver.events(of: id).reduce(0) { $0 + $1.changes }
        #expect(changes == 2_000, "no change is lost")
        driver.bus.limitWithdrawnNames(of: 1, to: 0)
        #expect(driver.bus.names(of: 1).kept == 0)
        #expect(driver.bus.nextPaced == nil)
    }

    @Test("a name whose withdrawal was dropped in the background is forgotten on waking")
    func droppedWithdrawalIsSeen() {
        let id = driver.subscribe(
            SubscriptionRequest(aspects: ["org.*"], policies: ["org.*": Policy(background: .drop, netChangeOnly: true)])
        )
        driver.background(id)
        driver.publish("org.a", "{}")
        driver.publish("org.a", nil)
        driver.foreground(id)
        #expect(driver.events(of: id).isEmpty)
        driver.publish("org.b", "{}")
        _ = driver.read()
        driver.publish("org.a", "{}")
        driver.publish("org.a", nil)
        driver.background(id)
        driver.foreground(id)
        #expect(driver.events(of: id).isEmpty)
        #expect(driver.bus.names(of: 1).kept == 1, "org.b")
        #expect(driver.violations.isEmpty)
    }

    @Test("changes of a name that came and went are counted with its next change under netChangeOnly")
    func undueChangesAreCountedLater() {
        let id = driver.subscribe(
            SubscriptionRequest(aspects: ["org.*"], policies: ["org.*": Policy(netChangeOnly: true)]))
        driver.background(id)
        for _ in 0..<3 {
            driver.publish("org.a", "{}")
            driver.publish("org.a", nil)
        }
        driver.foreground(id)
        #expect(driver.events(of: id).isEmpty)
        #expect(driver.pending(id, "org.a") == 6)
        driver.publish("org.a", "{}")
        #expect(driver.events(of: id).map(\.changes) == [7])
        #expect(driver.violations.isEmpty)
    }

    @Test("a name without a position counts as not published")
    func nameWithoutAPositionIsNew() {
        let resume = { (aspects: AspectSet) in
            driver.start(SubscriptionRequest(aspects: aspects, instance: "one", positions: [:])).start.events
        }
        #expect(resume(["org.a"]).isEmpty)
        driver.publish("org.a", "{}")
        driver.publish("org.a", nil)
        #expect(resume(["org.a"]).isEmpty)
        driver.publish("org.a", "{}")
        #expect(resume(["org.a"]).map(\.aspect) == ["org.a"])
        #expect(resume(["org.*"]).map(\.aspect) == ["org.a"])
    }
}
