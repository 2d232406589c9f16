// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSimulation
import Testing

/// B29 to B37: background and foreground.
@Suite struct HoldTests {
    private let driver = BusDriver()

    @Test("B29, B32: holds are a set rather than a counter") func holdsAreASetAndNotACounter() {
        let id = driver.subscribe()
        for _ in 0..<300 { driver.background(id) }
        driver.report(.level(80))
        driver.foreground(id)
        #expect(driver.events(of: id).count == 1)
        #expect(driver.status(id)?.holds == [])
    }

    @Test(
        "B30: each reason is cleared separately",
        arguments: [[HoldReasons.app, .operator], [.operator, .app], [.frozen, .app]])
    func eachReasonIsClearedSeparately(reasons: [HoldReasons]) {
        let id = driver.subscribe()
        for reason in reasons { driver.background(id, reason) }
        driver.report(.level(80))
        driver.foreground(id, reasons[0])
        #expect(driver.read().isEmpty)
        driver.foreground(id, reasons[1])
        #expect(driver.events(of: id).count == 1)
    }

    @Test("B31: entering the foreground twice changes nothing") func foregroundInTheForegroundChangesNothing() {
        let id = driver.subscribe()
        driver.foreground(id)
        #expect(driver.read().isEmpty)
        #expect(driver.wake(id, after: .level(80)).count == 1)
    }

    @Test("B33: an ended subscription gets nothing") func endedSubscriptionGetsNothing() {
        let id = driver.subscribe()
        driver.background(id)
        driver.report(.level(80))
        driver.bus.cancel(id)
        driver.foreground(id)
        #expect(driver.read().isEmpty)
        #expect(driver.bus.subscriptions.isEmpty)
    }

    @Test func subscriptionEndedWhileReadyGetsNothing() {
        let gone = driver.subscribe()
        driver.report(.level(80))
        driver.bus.cancel(gone)
        let next = driver.subscribe()
        #expect(driver.read().isEmpty)
        driver.report(.level(79))
        #expect(driver.read().map(\.subscription) == [next])
    }

    @Test("B34: a subscription that starts in the background gets its first reply and is then held")
    func subscriptionThatStartsInTheBackgroundGetsItsFirstReply() {
        let (id, start) = driver.start(SubscriptionRequest(startsInBackground: true, wantsInitial: true))
        #expect(start.events.map(\.aspect).count == 5)
        #expect(start.events.allSatisfy { $0.changes == 0 })
        driver.report(.level(80))
        #expect(driver.read().isEmpty)
        driver.foreground(id)
        #expect(driver.events(of: id).map(\.changes) == [1])
    }

    @Test("B36: any order of holds and changes ends in a consistent state")
    func anyOrderOfHoldsAndChangesEndsConsistent() {
        let ids = (0..<32).map { _ in driver.subscribe() }
        var random = SplitMix64(seed: 36)
        var delivered: [SubscriptionID: Int] = [:]
        for round in 0..<32 * 50 {
            let id = ids[Int(random.next() % 32)]
            switch random.next() % 3 {
            case 0: driver.background(id)
            case 1: driver.foreground(id)
            default: driver.report(.level(round % 100))
            }
            for delivery in driver.read() {
                #expect(driver.status(delivery.subscription)?.holds == [])
                delivered[delivery.subscription, default: 0] += delivery.events.reduce(0) { $0 + $1.changes }
            }
        }
        for id in ids { driver.foreground(id) }
        for delivery in driver.read() {
            delivered[delivery.subscription, default: 0] += delivery.events.reduce(0) { $0 + $1.changes }
        }
        let changes = driver.state(.battery).generation
        #expect(ids.allSatisfy { delivered[$0] == changes })
    }

    @Test("B89: the status shows reasons and pending changes") func statusShowsReasonsAndPendingChanges() {
        let id = driver.subscribe(SubscriptionRequest(aspects: [.init(.battery), .init(.locale)], name: "bar"))
        driver.background(id)
        driver.background(id, .operator)
        driver.report(.level(80))
        driver.report(.level(79))
        driver.report(.proximity(.near))
        let status = driver.status(id)
        #expect(status?.name == "bar")
        #expect(status?.holds.names == ["app", "operator"])
        #expect(status?.pending == [.battery: 2])
        driver.foreground(id)
        driver.foreground(id, .operator)
        _ = driver.read()
        #expect(driver.status(id)?.events == 1)
        #expect(driver.status(id)?.changes == 2)
    }

    @Test func aspectHasAForegroundSubscriberUnlessAllAreHeld() {
        #expect(!driver.hasForegroundSubscriber(.battery))
        let id = driver.subscribe(SubscriptionRequest(aspects: AspectSet(.battery)))
        #expect(driver.hasForegroundSubscriber(.battery))
        #expect(!driver.hasForegroundSubscriber(.locale))
        driver.background(id)
        #expect(!driver.hasForegroundSubscriber(.battery))
        let eager = driver.subscribe(
            SubscriptionRequest(startsInBackground: true, policies: [.battery: Policy(background: .immediate)]))
        #expect(driver.hasForegroundSubscriber(.battery))
        driver.bus.cancel(eager)
        #expect(!driver.hasForegroundSubscriber(.battery))
        driver.foreground(id)
        #expect(driver.hasForegroundSubscriber(.battery))
    }

    @Test func heldSubscriptionIsSkipped() throws {
        let first = driver.subscribe()
        let second = driver.subscribe()
        driver.report(.level(80))
        let taken = driver.bus.takeReady()
        let ready = try #require(taken)
        #expect(ready.id == first)
        driver.background(first, .frozen)
        #expect(driver.bus.delivery(to: ready, at: 0) == nil, "a hold that comes last counts")
        #expect(driver.nextDelivery()?.subscription == second)
        let next = driver.bus.takeReady()
        #expect(next == nil)
        driver.foreground(first, .frozen)
        #expect(driver.events(of: first).count == 1)
    }
}
