// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

struct FiringTests {
    private static let name: Aspect = "org.example.a"

    private func fire(_ driver: BusDriver, times: Int = 1, _ json: String = "{}", _ name: Aspect = name) -> Firing {
        driver.pass(1_000)
        let value = PublishedValue(name, bytes: Array(json.utf8))
        let firing = driver.bus.firing(of: value, times: times, by: 1, at: driver.now, after: [])
        driver.bus.fire(firing)
        return firing
    }

    @Test("each firing is a change with a net change, even of an equal value") func equalValues() {
        let driver = BusDriver()
        driver.publish(Self.name, "{}")
        let id = driver.subscribe(
            SubscriptionRequest(aspects: [Self.name], policies: [Self.name: Policy(netChangeOnly: true)]))
        _ = fire(driver)
        #expect(driver.events(of: id).map(\.isNetChange) == [true])
        driver.background(id)
        _ = fire(driver)
        driver.publish(Self.name, #"{"a":1}"#)
        driver.publish(Self.name, "{}")
        driver.foreground(id)
        let events = driver.events(of: id)
        #expect(events.map(\.changeCount) == [3])
        #expect(events.map(\.isNetChange) == [true])
        driver.background(id)
        driver.publish(Self.name, #"{"a":1}"#)
        driver.publish(Self.name, "{}")
        driver.foreground(id)
        #expect(driver.events(of: id).isEmpty)
        #expect(driver.violations.isEmpty)
    }

    @Test("B119: a billion firings at once are one event, and the log keeps as many changes as always")
    func manyAtOnce() {
        let driver = BusDriver(history: 16)
        let id = driver.subscribe(SubscriptionRequest(aspects: [Self.name]))
        let holding = driver.subscribe(
            SubscriptionRequest(aspects: [Self.name], policies: [Self.name: Policy(background: .hold(limit: 4))]))
        driver.background(id)
        driver.background(holding)
        driver.publish(Self.name, #"{"a":1}"#)
        let firing = fire(driver, times: 1_000_000_000)
        #expect(firing.before == 1)
        driver.foreground(id)
        #expect(driver.events(of: id).map(\.changeCount) == [1_000_000_001])
        driver.foreground(holding)
        let held = driver.events(of: holding)
        #expect(held.count == 4)
        #expect(held.reduce(0) { $0 + $1.changeCount + $1.droppedCount } == 1_000_000_001)
        #expect(driver.bus.changes(of: Self.name).count == 16)
        #expect(driver.bus.sequence == 1_000_000_001)
        #expect(driver.violations.isEmpty)
    }

    @Test("several firings are computed before the first is on the bus") func batch() {
        let driver = BusDriver()
        let names: [Aspect] = ["org.example.a", "org.example.b", "org.example.a"]
        driver.publish("org.example.b", "{}")
        var firings: [Firing] = []
        for (name, times) in zip(names, [2, 3, 4]) {
            firings.append(
                driver.bus.firing(
                    of: PublishedValue(name, bytes: Array("{}".utf8)), times: times, by: 1, at: driver.now,
                    after: firings))
        }
        for firing in firings { driver.bus.fire(firing) }
        for firing in firings.suffix(2) {
            #expect(driver.state(firing.value.name).generation == firing.before + firing.times)
        }
        #expect(driver.bus.sequence == firings.last?.sequence)
        #expect(driver.bus.firings == 3)
    }

    @Test("a saved state with its firings equals the state after them", arguments: 0...4)
    func replays(saved: Int) {
        let driver = BusDriver()
        driver.publish("org.example.b", #"{"b":1}"#)
        driver.publish("org.example.tied", "{}", by: Publisher(user: 2, connection: 7))
        var firings: [Firing] = []
        var state = driver.bus.savedState
        for number in 0..<4 {
            if number == saved { state = driver.bus.savedState }
            firings.append(
                fire(driver, times: number + 1, #"{"n":\#(number)}"#, number % 2 == 0 ? "org.example.b" : Self.name))
        }
        if saved == 4 { state = driver.bus.savedState }
        state.replay(firings)
        #expect(state == driver.bus.savedState)
        state.replay(firings)
        #expect(state == driver.bus.savedState)
        var other = state
        other.instance = "two"
        let before = other
        other.replay(firings)
        #expect(other == before)
    }
}
