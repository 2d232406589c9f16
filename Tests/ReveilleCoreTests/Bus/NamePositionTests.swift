// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

/// Positions of names that are withdrawn, forgotten and published again.
@Suite struct NamePositionTests {
    private let driver = BusDriver()

    private func resume(_ aspects: AspectSet, _ positions: [Aspect: Int]) -> [Event] {
        let start = driver.start(SubscriptionRequest(aspects: aspects, instance: "one", positions: positions))
        #expect(start.start.resumed == true)
        driver.bus.cancel(start.id)
        return start.start.events
    }

    @Test("a name that a pattern matches and that has no position was never seen: it is a change")
    func unseenNameIsAChange() {
        for value in ["{}", "{\"v\":1}"] { driver.publish("org.a", value) }
        #expect(resume(["org.*"], [:]).map(\.changes) == [2])
        #expect(resume(["org.a"], [:]).map(\.changes) == [2])
        driver.restart()
        #expect(resume(["org.*"], [:]).map(\.changes) == [2])
    }

    @Test("a name that was forgotten is one change to null", arguments: [["org.*"], ["org.a"]] as [AspectSet])
    func forgottenNameIsOneChange(aspects: AspectSet) {
        for value in ["{}", "{\"v\":1}", nil] { driver.publish("org.a", value) }
        driver.report(.level(1))
        let events = resume(aspects, ["org.a": 1])
        #expect(events.map(\.changes) == [1])
        #expect(events.map { $0.published?.json } == [nil])
        #expect(events.map(\.generation) == [4])
        #expect(resume(aspects, ["org.a": 4]).isEmpty, "the withdrawal was the last change on the bus")
    }

    @Test("a withdrawal that was seen is not repeated", arguments: [["org.*"], ["org.a"]] as [AspectSet])
    func seenWithdrawalIsNotRepeated(aspects: AspectSet) {
        let other = driver.subscribe(SubscriptionRequest(aspects: ["org.a"]))
        driver.publish("org.a", "{}")
        driver.publish("org.a", nil)
        driver.report(.level(1))
        #expect(resume(aspects, ["org.a": 2]).isEmpty)
        #expect(resume(aspects, ["org.a": 1]).map(\.changes) == [1])
        #expect(resume(aspects, ["org.a": 0]).map(\.changes) == [2])
        driver.restart()
        #expect(resume(aspects, ["org.a": 2]).isEmpty, "a name that a subscription gave is saved")
        driver.bus.cancel(other)
    }

    @Test("a name that comes back goes on above the sequence of the bus, and earlier changes count as one")
    func returningNameGoesOnAboveTheSequence() {
        driver.publish("org.a", "{}")
        driver.publish("org.a", nil)
        for level in 1...10 { driver.report(.level(level)) }
        driver.publish("org.a", "{}")
        #expect(driver.state("org.a").generation == 13)
        let events = resume(["org.*"], ["org.a": 1])
        #expect(events.map(\.changes) == [2])
        driver.restart()
        #expect(resume(["org.*"], ["org.a": 1]).map(\.changes) == [2])
        #expect(resume(["org.a"], ["org.a": 1]).map(\.changes) == [2])
    }

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

    @Test("netChange is known after a sleep during which the log has dropped the value", arguments: [true, false])
    func netChangeIsKnownAfterDroppedValues(returns: Bool) {
        let driver = BusDriver(history: 2)
        driver.publish("org.a", "{\"v\":0}")
        let id = driver.subscribe(SubscriptionRequest(aspects: ["org.a"]))
        driver.background(id)
        for value in 1...10 { driver.publish("org.a", "{\"v\":\(value)}") }
        driver.publish("org.a", returns ? "{\"v\":0}" : nil)
        driver.foreground(id)
        #expect(driver.events(of: id).map(\.netChange) == [!returns])
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
