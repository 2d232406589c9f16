// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing

/// B18 to B27 and B46: the order of events, and fairness.
@Suite struct OrderingTests {
    private let driver = BusDriver()

    @Test("B18: a wake delivers events in the order of their last changes") func wakingOrdersByLastChange() {
        let id = driver.subscribe()
        for _ in 0..<100 {
            driver.background(id)
            for reading in [Reading.language("de_DE"), .level(80), .pose(.faceUp), .language("fr_FR")] {
                driver.report(reading)
            }
            driver.foreground(id)
            #expect(driver.events(of: id).map(\.aspect) == [.battery, .orientation, .locale])
            for reading in [Reading.language("en_US"), .level(81), .pose(.portrait)] { driver.report(reading) }
            _ = driver.read()
        }
    }

    @Test("B19: a change during a delivery is delivered afterward") func changeDuringDeliveryComesAfterwards() {
        let id = driver.subscribe()
        driver.background(id)
        for reading in [Reading.language("de_DE"), .level(80), .pose(.faceUp)] { driver.report(reading) }
        driver.foreground(id)
        let first = driver.nextDelivery()
        driver.report(.proximity(.near))
        #expect(driver.nextDelivery() == nil, "the previous reply is unread")
        driver.foreground(id, .unread)
        let second = driver.nextDelivery()
        let sequences = [first, second].compactMap { $0 }.flatMap(\.events).map(\.sequence)
        #expect(sequences.count == 4)
        #expect(sequences == sequences.sorted())
    }

    @Test("B26, B55: a slow reader gets the last state without another change")
    func slowReaderGetsTheLastStateWithoutAnotherChange() {
        let id = driver.subscribe()
        driver.report(.level(80))
        #expect(driver.nextDelivery()?.events.map(\.reading) == [.level(80)])
        for level in [79, 78, 77] { driver.report(.level(level)) }
        #expect(driver.status(id)?.holds == .unread)
        #expect(driver.nextDelivery() == nil)
        driver.foreground(id, .unread)
        #expect(driver.nextDelivery()?.events.map(\.changeCount) == [3])
    }

    @Test("B46: an aspect that changes constantly does not starve others") func busyAspectDoesNotStarveOthers() {
        let id = driver.subscribe()
        driver.report(.proximity(.near))
        var seen: [Aspect] = []
        for round in 0..<10 {
            driver.report(.level(round))
            guard let delivery = driver.nextDelivery() else { break }
            seen += delivery.events.map(\.aspect)
            driver.foreground(id, .unread)
        }
        #expect(seen.filter { $0 == .proximity }.count == 1)
        #expect(seen.prefix(2).contains(.proximity))
    }

    @Test func subscribersAreServedInTheOrderInWhichTheyBecameReady() {
        let ids = (0..<5).map { _ in driver.subscribe() }
        for id in ids { driver.background(id) }
        driver.report(.level(80))
        for id in ids.reversed() { driver.foreground(id) }
        #expect(driver.read().map(\.subscription) == ids.reversed())
    }
}
