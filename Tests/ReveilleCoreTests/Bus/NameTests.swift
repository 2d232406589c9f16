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

    @Test("an equal value is not a change, and its publisher replaces the one before")
    func equalValueChangesThePublisher() {
        let id = subscribe(["org.a"])
        #expect(driver.publish("org.a", "{}", by: Publisher(user: 1, connection: 7)))
        #expect(driver.events(of: id).count == 1)
        #expect(!driver.publish("org.a", "{}", by: Publisher(user: 2)))
        #expect(driver.read().isEmpty)
        #expect(driver.bus.publisher(of: "org.a") == Publisher(user: 2))
        #expect(driver.bus.names(of: 1) == NameCount() && driver.bus.names(of: 2).live == 1)
    }

    @Test("a name that is withdrawn is null, and withdrawing it again has no effect")
    func withdrawnNameIsNull() {
        let id = subscribe(["org.a"])
        driver.publish("org.a", "{}")
        #expect(values(driver.events(of: id)) == ["{}"])
        #expect(driver.publish("org.a", nil))
        #expect(values(driver.events(of: id)) == [nil])
        #expect(!driver.publish("org.a", nil) && !driver.publish("org.unknown", nil))
        #expect(driver.read().isEmpty)
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

    @Test("states that are tied to connections are not saved") func tiedStatesAreNotSaved() {
        driver.publish("org.tied", "{}", by: Publisher(user: 1, connection: 7))
        driver.publish("org.kept", "{}")
        let id = subscribe(["org.*"])
        let saved = driver.bus.savedState
        #expect(saved.entries.map(\.state.aspect).filter(\.isPublished) == ["org.kept"])
        #expect(saved.sequence == driver.bus.sequence + 1, "the withdrawal is counted")
        driver.publish("org.tied", nil)
        _ = driver.events(of: id)
        #expect(driver.bus.savedState.sequence == saved.sequence)
    }

    @Test(
        "a subscriber that slept through a restart and the next publication of a tied state receives one event",
        arguments: [["org.*"], ["org.tied"]] as [AspectSet])
    func tiedStateIsPublishedAgain(aspects: AspectSet) {
        let publisher = Publisher(user: 1, connection: 7)
        for value in 1...3 { driver.publish("org.tied", "{\"v\":\(value)}", by: publisher) }
        for seen in [1, 3] {
            // The restart is a change even if the publication was the last change on the bus.
            let driver = BusDriver(restoring: driver.bus.savedState)
            driver.publish("org.tied", "{\"v\":3}", by: publisher)
            let request = SubscriptionRequest(aspects: aspects, instance: "one", positions: ["org.tied": seen])
            let (id, start) = driver.start(request)
            #expect(start.resumed == true)
            #expect(start.events.map(\.generation) == [5])
            #expect(start.events.map(\.changes) == [2], "the withdrawal and the publication")
            #expect(values(start.events) == [#"{"v":3}"#])
            #expect(driver.events(of: id).isEmpty)
        }
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

    @Test("a withdrawn name does not count because subscriptions give it") func givenNamesAreNotCounted() {
        let id = subscribe(["org.a"])
        driver.publish("org.a", "{}")
        driver.publish("org.a", nil)
        _ = driver.events(of: id)
        #expect(driver.bus.names(of: 1) == NameCount())
        driver.restart()
        #expect(driver.bus.names(of: 1) == NameCount())
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

    @Test("the state of a pattern is that of the names that are published")
    func statesOfPatterns() {
        driver.publish("org.a", "{}")
        driver.publish("org.b", "{}")
        driver.publish("org.b", nil)
        #expect(driver.bus.states(of: ["org.*", "org.c"], at: driver.now).map(\.aspect) == ["org.a", "org.c"])
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

    // MARK: - Patterns

    @Test("patterns that overlap, and a name among them, are one subscription of the name")
    func overlappingPatternsAreOneSubscription() {
        let id = subscribe(["org.*", "org.a.*", "org.a.x"])
        for name in ["org.a.x", "org.a.y", "org.b", "organ.c", "org-a.b"] as [Aspect] { driver.publish(name, "{}") }
        #expect(driver.events(of: id).map(\.aspect) == ["org.a.x", "org.a.y", "org.b"])
        #expect(driver.status(id)?.aspects == ["org.*", "org.a.*", "org.a.x"])
    }

    @Test("a pattern matches names that are published before and after it, and not itself a name")
    func patternMatchesEarlierAndLaterNames() {
        driver.publish("org.a", "{}")
        let id = subscribe(["org.*"])
        driver.publish("org.a", "{\"v\":1}")
        driver.publish("org.a.b", "{}")
        #expect(driver.events(of: id).map(\.aspect) == ["org.a", "org.a.b"])
        driver.bus.cancel(id)
        driver.publish("org.c", "{}")
        #expect(driver.read().isEmpty)
    }
}
