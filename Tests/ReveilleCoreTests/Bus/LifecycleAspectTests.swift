// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// B99, B102, B111 to B114: the aspect `lifecycle`, and modes beside it.
@Suite struct LifecycleAspectTests {
    private let driver = BusDriver()

    private func request(_ policy: Policy? = nil) -> SubscriptionRequest {
        SubscriptionRequest(
            aspects: [.battery, .locale, .lifecycle], policies: policy.map { [.lifecycle: $0] } ?? [:])
    }

    private func deactivate(_ id: SubscriptionID) {
        driver.bus.release(.app, from: id, into: .inactive, at: driver.now)
    }

    private func states(_ events: [Event]) -> [Lifecycle?] { events.map(\.lifecycle) }

    @Test("B111: active, inactive and active again are two events, and nothing is held")
    func inactiveIsNoHold() {
        let id = driver.subscribe(request())
        deactivate(id)
        #expect(states(driver.events(of: id)) == [.inactive])
        #expect(driver.status(id)?.holds == [])
        driver.report(.level(80))
        #expect(driver.events(of: id).map(\.aspect) == [.battery])
        driver.bus.release(.app, from: id, into: .usual, at: driver.now)
        #expect(states(driver.events(of: id)) == [.active])
    }

    @Test("B112: background and foreground twice, unread, are one event with four changes")
    func transitionsAreMerged() throws {
        let id = driver.subscribe(request())
        driver.report(.level(80))
        _ = driver.nextDelivery()
        let start = driver.now
        for _ in 0..<2 {
            driver.pass(1_000)
            driver.background(id)
            driver.pass(1_000)
            driver.foreground(id)
        }
        #expect(driver.pending(id, .lifecycle) == 4)
        #expect(driver.nextDelivery() == nil)
        driver.bus.noteRead(by: id)
        let event = try #require(driver.events(of: id).first)
        #expect((event.lifecycle, event.changeCount, event.isNetChange) == (.active, 4, false))
        #expect(event.firstChangedAt.microseconds == start.microseconds + 1_000)
        #expect(event.changedAt.microseconds == start.microseconds + 4_000)
    }

    @Test("B113: after a restart, one event of each changed aspect comes, and the lifecycle begins anew")
    func positionOfALifecycleIsIgnored() {
        let request = SubscriptionRequest(
            aspects: [.battery, .lifecycle], instance: "one", positions: [.battery: 0, .lifecycle: 1_000])
        driver.report(.level(80))
        driver.report(.level(79))
        let start = driver.start(request).start
        #expect(start.resumed == true)
        #expect(start.events.map(\.aspect) == [.battery])
        #expect(start.events.map(\.changeCount) == [2])
        var other = request
        other.instance = "another"
        #expect(driver.start(other).start.events.map(\.aspect) == [.lifecycle, .battery])
    }

    @Test("B114: the lifecycle is the first event of a wake") func lifecycleIsFirst() {
        let id = driver.subscribe(request())
        let events = driver.wake(id, after: .level(80), .language("de_DE"))
        #expect(states(events) == [.active, nil, nil])
        #expect(events.map(\.changeCount) == [2, 1, 1])
    }

    @Test("B114: the lifecycle is in the first of the replies of a wake") func lifecycleIsInTheFirstReply() {
        let names = (0..<40).map { Aspect(stringLiteral: "org.example.n\($0)") }
        let id = driver.subscribe(SubscriptionRequest(aspects: AspectSet(names + [.lifecycle])))
        driver.background(id)
        _ = driver.read()
        let value = "{\"v\":\"" + String(repeating: "x", count: 60_000) + "\"}"
        for name in names { driver.publish(name, value) }
        driver.foreground(id)
        let replies = driver.read()
        #expect(replies.count > 1)
        #expect(replies.first?.events.first?.lifecycle == .active)
        #expect(replies.flatMap(\.events).count { $0.lifecycle != nil } == 1)
    }

    @Test("subscriptions have lifecycles of their own, delivered only to subscriptions that name the aspect")
    func lifecyclesAreIndependent() {
        let (one, other) = (driver.subscribe(request()), driver.subscribe(request()))
        let third = driver.subscribe(SubscriptionRequest(aspects: [.battery]))
        driver.background(one)
        driver.background(third)
        #expect(driver.read().map(\.subscription) == [one])
        #expect(driver.status(other)?.lifecycle == .active)
        // It follows from the holds, and clients of the first interface refuse the field.
        #expect(driver.status(third)?.lifecycle == nil)
        #expect(driver.status(third)?.pending == [:])
        let logs = driver.bus.savedState.entries.map(\.state.aspect)
        #expect(!logs.contains(.lifecycle))
    }

    @Test("inactive clears the caller's own hold, and comes as one change") func inactiveClearsTheHold() {
        let id = driver.subscribe(request())
        driver.background(id)
        driver.report(.level(80))
        _ = driver.read()
        deactivate(id)
        let events = driver.events(of: id)
        #expect(states(events) == [.inactive, nil])
        #expect(events.map(\.changeCount) == [1, 1])
        driver.background(id)
        driver.foreground(id)
        #expect(states(driver.events(of: id)) == [.active], "the background ends the inactive phase")
    }

    @Test("inactive under another hold is seen when that ends, unless a call for the foreground comes first")
    func inactiveUnderAnotherHold() {
        let id = driver.subscribe(request())
        driver.background(id, .operator)
        deactivate(id)
        #expect(states(driver.events(of: id)) == [.background])
        driver.foreground(id, .operator)
        #expect(states(driver.events(of: id)) == [.inactive])
    }

    @Test("with netChangeOnly, a lifecycle that came back is not delivered") func netChangeOnly() {
        let id = driver.subscribe(request(Policy(netChangeOnly: true)))
        driver.report(.level(80))
        _ = driver.nextDelivery()
        driver.background(id)
        driver.foreground(id)
        driver.bus.noteRead(by: id)
        #expect(driver.read().isEmpty)
        #expect(driver.hasReadLifecycle(id))
        driver.background(id)
        #expect(driver.events(of: id).map(\.changeCount) == [3])
    }

    @Test("the phases suspended and terminating end with the background") func phasesEndWithTheBackground() {
        for phase in [LifecyclePhase.suspended, .terminating] {
            let id = driver.subscribe(request())
            driver.background(id)
            driver.bus.setPhase(phase, of: id, at: driver.now)
            #expect(!driver.hasReadLifecycle(id))
            #expect(driver.events(of: id).count == 1)
            #expect(driver.hasReadLifecycle(id))
            driver.foreground(id)
            #expect(driver.lifecycle(of: id) == .active)
            #expect(states(driver.events(of: id)) == [.active])
        }
    }

    @Test("B102: a mode passes neither the hold frozen nor the hold unread") func modeWaitsForAFrozenProcess() {
        let id = driver.subscribe(
            SubscriptionRequest(aspects: [.battery], policies: [.battery: Policy(background: .immediate)]))
        driver.background(id)
        #expect(driver.hasForegroundSubscriber(.battery))
        driver.background(id, .frozen)
        #expect(!driver.hasForegroundSubscriber(.battery), "its sensor rests")
        for level in [80, 79] { driver.report(.level(level)) }
        #expect(driver.read().isEmpty)
        driver.foreground(id, .frozen)
        #expect(driver.hasForegroundSubscriber(.battery))
        #expect(driver.nextDelivery()?.events.map(\.changeCount) == [2])
        driver.report(.level(78))
        #expect(driver.read().isEmpty)
    }

    @Test("B103: of two subscriptions of a process, only one with a mode receives events in the background")
    func modeIsOfOneSubscription() {
        let policies: [Aspect: Policy] = [.battery: Policy(background: .immediate)]
        let one = driver.subscribe(SubscriptionRequest(aspects: [.battery], policies: policies))
        let other = driver.subscribe(SubscriptionRequest(aspects: [.battery]))
        for id in [one, other] { driver.background(id) }
        driver.report(.level(80))
        #expect(driver.read().map(\.subscription) == [one])
    }
}
