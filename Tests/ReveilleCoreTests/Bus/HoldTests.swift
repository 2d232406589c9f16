// SPDX-License-Identifier: Apache-2.0

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

    @Test("B34: a subscription that starts in the background gets its first reply and is then held")
    func subscriptionThatStartsInTheBackgroundGetsItsFirstReply() {
        let (id, start) = driver.start(SubscriptionRequest(startsInBackground: true, wantsInitial: true))
        #expect(start.events.map(\.aspect).count == 5)
        #expect(start.events.allSatisfy { $0.changeCount == 0 })
        driver.report(.level(80))
        #expect(driver.read().isEmpty)
        driver.foreground(id)
        #expect(driver.events(of: id).map(\.changeCount) == [1])
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
        #expect(driver.status(id)?.eventCount == 1)
        #expect(driver.status(id)?.changeCount == 2)
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
