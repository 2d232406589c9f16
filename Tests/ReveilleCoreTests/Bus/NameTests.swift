// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

/// B182 and B188 to B192 without sockets: names that programs publish.
@Suite struct NameTests {
    private let driver = BusDriver()

    private func values(_ events: [Event]) -> [String?] {
        events.map { $0.published?.json }
    }

    @Test(
        "B182, B188: on wake there is one event for each name that changed, with its own number of changes",
        arguments: [["org.a", "org.b"], ["org.*"], ["org.a", "org.*"]] as [AspectSet])
    func eachNameIsAnEvent(aspects: AspectSet) {
        let id = driver.subscribe(SubscriptionRequest(aspects: aspects))
        driver.background(id)
        for (name, value) in [("org.a", "1"), ("org.a", "2"), ("org.b", "8"), ("org.a", "3")] as [(Aspect, String)] {
            driver.publish(name, "{\"v\":\(value)}")
        }
        #expect(driver.status(id)?.pending == ["org.a": 3, "org.b": 1])
        driver.foreground(id)
        let events = driver.events(of: id)
        #expect(events.map(\.aspect) == ["org.b", "org.a"])
        #expect(events.map(\.changeCount) == [1, 3])
        #expect(values(events) == ["{\"v\":8}", "{\"v\":3}"])
    }

    @Test("B190: states that were tied to connections are withdrawn by a restart, and others stay")
    func restartWithdrawsTiedStates() {
        driver.publish("org.tied", "{}", by: Publisher(user: 1, connection: 7))
        driver.publish("org.kept", "{}")
        driver.restart()
        #expect(driver.bus.names == ["org.kept"])
        let start = driver.start(
            SubscriptionRequest(aspects: ["org.*"], instance: "one", positions: ["org.tied": 1, "org.kept": 2]))
        #expect(start.start.events.map(\.aspect) == ["org.tied"])
        #expect(values(start.start.events) == [nil])
    }

    @Test("B192: a late subscriber gets the current values, and null for a name that is not there")
    func lateSubscriberGetsCurrentValues() {
        driver.publish("org.a", "{\"v\":1}")
        driver.publish("org.gone", "{}")
        driver.publish("org.gone", nil)
        let start = driver.start(SubscriptionRequest(aspects: ["org.*", "com.not-there"], wantsInitial: true)).start
        #expect(start.events.map(\.aspect) == ["org.a", "com.not-there"])
        #expect(values(start.events) == ["{\"v\":1}", nil])
        #expect(start.events.allSatisfy { $0.changeCount == 0 })
    }

    // MARK: - Positions and sizes

    @Test("a position of a name that is ahead of the bus gets the current state")
    func positionAheadGetsTheCurrentState() {
        driver.publish("org.a", "{}")
        for (name, position) in [("org.a", 2), ("org.never", 2)] as [(Aspect, Int)] {
            let start = driver.start(
                SubscriptionRequest(aspects: ["org.*"], instance: "one", positions: [name: position]))
            #expect(start.start.resumed == false)
            #expect(start.start.events.map(\.changeCount) == [0])
        }
    }

    @Test("a log keeps long values up to a size") func longValuesAreKeptUpToASize() {
        let id = driver.subscribe(
            SubscriptionRequest(aspects: ["org.a"], policies: ["org.a": Policy(background: .hold(limit: 256))]))
        driver.background(id)
        let value = String(repeating: "x", count: 4_080)
        for index in 100..<200 { driver.publish("org.a", "{\"v\":\"\(index)\(value)\"}") }
        driver.foreground(id)
        let events = driver.events(of: id)
        #expect(events.count == 16)
        #expect(events.first?.droppedCount == 84)
    }

    // MARK: - Names that come and go while subscribers to patterns sleep

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
        #expect(
            events.first?.aspect == "org.seen.a" && events.first?.isNetChange == true, "what was seen is never lost")
        #expect(events.allSatisfy { $0.published?.isWithdrawn == true })
        #expect(driver.bus.names(of: 1).kept == 0)
        driver.publish("org.n1", "{}")
        #expect(driver.events(of: sleeper).map(\.changeCount) == [1])
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
            changes += driver.events(of: id).reduce(0) { $0 + $1.changeCount }
            driver.publish(name, nil)
            changes += driver.events(of: id).reduce(0) { $0 + $1.changeCount }
            #expect(driver.bus.names(of: 1).kept <= 12)
            #expect(driver.violations.isEmpty)
        }
        driver.bus.limitWithdrawnNames(of: 1, to: 0)
        changes += driver.events(of: id).reduce(0) { $0 + $1.changeCount }
        #expect(changes == 2_000, "no change is lost")
        driver.bus.limitWithdrawnNames(of: 1, to: 0)
        #expect(driver.bus.names(of: 1).kept == 0)
        #expect(driver.bus.nextPaced == nil)
    }
}
