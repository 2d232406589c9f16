// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Testing

@testable import ReveilleCore

/// B188 to B192 without sockets: names that programs publish.
@Suite struct NameTests {
    private let driver = BusDriver()

    /// Subscribes to names or patterns.
    private func subscribe(_ aspects: AspectSet, policies: [Aspect: Policy] = [:]) -> SubscriptionID {
        driver.subscribe(SubscriptionRequest(aspects: aspects, policies: policies))
    }

    private func values(_ events: [Event]) -> [String?] {
        events.map { $0.published?.json }
    }

    // MARK: - Values

    @Test(
        "B188: on wake there is one event for each name that changed, with its own number of changes",
        arguments: [["org.a", "org.b"], ["org.*"], ["org.a", "org.*"]] as [AspectSet])
    func eachNameIsAnEvent(aspects: AspectSet) {
        let id = subscribe(aspects)
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

    @Test("B189: a value that changed and changed back is marked as such") func valueThatChangedBackIsMarked() {
        driver.publish("org.a", "{}")
        let id = subscribe(["org.*"])
        driver.background(id)
        driver.publish("org.a", "{\"v\":1}")
        driver.publish("org.a", nil)
        driver.publish("org.a", "{}")
        driver.foreground(id)
        let events = driver.events(of: id)
        #expect(events.map(\.changes) == [3])
        #expect(events.map(\.netChange) == [false])
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

    @Test("B191: the names of a user are counted until subscriptions have seen that they were withdrawn")
    func namesAreCounted() {
        let id = subscribe(["org.*"])
        driver.background(id)
        for name in ["org.a", "org.b"] as [Aspect] { driver.publish(name, "{}") }
        #expect(driver.bus.names(of: 1).live == 2 && driver.bus.names(of: 1).kept == 2)
        driver.publish("org.a", nil)
        #expect(driver.bus.names(of: 1).live == 1 && driver.bus.names(of: 1).kept == 2)
        driver.foreground(id)
        _ = driver.read()
        #expect(driver.bus.names(of: 1).live == 1 && driver.bus.names(of: 1).kept == 1)
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

    // MARK: - Locations

    @Test(
        "B181: hold delivers forty fixes one by one, and of 150 the last hundred",
        arguments: [(40, 40, 0), (150, 100, 50)])
    func holdDeliversTheTrack(fixes: Int, count: Int, dropped: Int) {
        let id = subscribe(
            ["org.reveille.location"], policies: ["org.reveille.location": Policy(background: .hold(limit: 100))])
        driver.background(id)
        for fix in 1...fixes { driver.publish("org.reveille.location", "{\"latitude\":\(fix)}") }
        driver.foreground(id)
        let events = driver.events(of: id)
        #expect(values(events) == (fixes - count + 1...fixes).map { "{\"latitude\":\($0)}" })
        #expect(events.map(\.dropped) == [dropped] + Array(repeating: 0, count: count - 1))
    }

    @Test("B182: without a policy, the newest fix is delivered with the number of fixes")
    func newestFixIsDelivered() {
        let id = subscribe(["org.reveille.*"])
        driver.background(id)
        for fix in 1...150 { driver.publish("org.reveille.location", "{\"latitude\":\(fix)}") }
        driver.foreground(id)
        let events = driver.events(of: id)
        #expect(values(events) == ["{\"latitude\":150}"])
        #expect(events.map(\.changes) == [150])
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
