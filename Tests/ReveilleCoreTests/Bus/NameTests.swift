// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

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
        #expect(events.map(\.changes) == [1, 3])
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
        #expect(start.events.allSatisfy { $0.changes == 0 })
    }

    // MARK: - Positions and sizes

    @Test("a position of a name that is ahead of the bus gets the current state")
    func positionAheadGetsTheCurrentState() {
        driver.publish("org.a", "{}")
        for (name, position) in [("org.a", 2), ("org.never", 2)] as [(Aspect, Int)] {
            let start = driver.start(
                SubscriptionRequest(aspects: ["org.*"], instance: "one", positions: [name: position]))
            #expect(start.start.resumed == false)
            #expect(start.start.events.map(\.changes) == [0])
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
        #expect(events.first?.dropped == 84)
    }
}
