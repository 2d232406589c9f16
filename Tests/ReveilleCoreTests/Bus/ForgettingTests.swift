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
}
