// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

/// The replies to subscriptions that have more to take than fits in one of them.
@Suite struct ReplySizeTests {
    private static let value = #"{"a":"\#(String(repeating: "x", count: 4_000))"}"#
    private let driver = BusDriver()

    private func name(_ number: Int) -> Aspect { Aspect(stringLiteral: "org.n\(number)") }

    /// Publishes long values of names, whose order differs from round to round.
    private func publish(_ names: Range<Int>, round: Int = 0) {
        for number in round % 2 == 0 ? Array(names) : names.reversed() {
            driver.publish(name(number), Self.value.replacing("x", with: "\(round % 10)", maxReplacements: 1))
        }
    }

    /// The names of replies that take them in the order of their first changes, each in the order of the last ones.
    private func expected(_ counts: [Int]) -> [Aspect] {
        var first = 0
        return counts.flatMap { count in
            defer { first += count }
            return (first..<first + count).reversed().map(name)
        }
    }

    private func size(of delivery: Delivery) -> Int {
        delivery.events.reduce(0) { $0 + Bus.eventSize + ($1.published?.bytes?.count ?? 0) }
    }

    @Test("long values follow in further replies, one event for each name, and the first to change comes first")
    func longValuesFollow() {
        let id = driver.subscribe(SubscriptionRequest(aspects: ["org.*"]))
        driver.background(id)
        publish(0..<1_000)
        publish(0..<1_000, round: 1)
        driver.foreground(id)
        let deliveries = driver.read()
        #expect(deliveries.count == 5)
        #expect(deliveries.allSatisfy { size(of: $0) < Bus.replySize + 5_000 })
        let events = deliveries.flatMap(\.events)
        #expect(events.map(\.aspect) == expected(deliveries.map(\.events.count)))
        #expect(events.allSatisfy { $0.changeCount == 2 })
        #expect(driver.violations.isEmpty)
    }

    @Test("a thousand short values fit in one reply") func shortValuesFit() {
        let id = driver.subscribe(SubscriptionRequest(aspects: ["org.*"]))
        driver.background(id)
        for number in 0..<1_024 { driver.publish(name(number), #"{"level":0.5,"muted":false,"title":"A song"}"#) }
        driver.foreground(id)
        #expect(driver.read().map(\.events.count) == [1_024])
    }

    @Test("changes that were held one by one are divided too, but the changes of a name stay together")
    func heldChangesAreDivided() {
        let id = driver.subscribe(
            SubscriptionRequest(aspects: ["org.*"], policies: ["org.*": Policy(background: .hold(limit: 256))]))
        driver.background(id)
        for round in 0..<10 { publish(0..<100, round: round) }
        driver.foreground(id)
        let deliveries = driver.read()
        #expect(deliveries.count == 4)
        #expect(deliveries.allSatisfy { size(of: $0) < Bus.replySize + 50_000 })
        let events = deliveries.flatMap { delivery in
            #expect(Dictionary(grouping: delivery.events, by: \.aspect).values.allSatisfy { $0.count == 10 })
            return delivery.events
        }
        #expect(events.count == 1_000)
        #expect(driver.violations.isEmpty)
    }

    @Test("names that change while a reply is unread do not keep others waiting")
    func changingNamesDoNotDelayOthers() throws {
        let id = driver.subscribe(SubscriptionRequest(aspects: ["org.*"]))
        driver.background(id)
        publish(0..<1_000)
        driver.foreground(id)
        var changes: [Aspect: Int] = [:]
        for round in 1...6 {
            let delivery = try #require(driver.nextDelivery())
            for event in delivery.events { changes[event.aspect, default: 0] += event.changeCount }
            // Names that were delivered first, and some that were not.
            publish(0..<300, round: round)
            driver.bus.noteRead(by: id)
        }
        #expect(changes.count == 1_000)
        for event in driver.read().flatMap(\.events) { changes[event.aspect, default: 0] += event.changeCount }
        #expect((0..<1_000).allSatisfy { changes[name($0)] == ($0 < 300 ? 7 : 1) })
        #expect(driver.violations.isEmpty)
    }

    @Test("names that are back at what was seen leave room for others")
    func undueNamesLeaveRoom() {
        let id = driver.subscribe(
            SubscriptionRequest(aspects: ["org.*"], policies: ["org.*": Policy(netChangeOnly: true)]))
        publish(0..<600)
        _ = driver.read()
        driver.background(id)
        publish(0..<600, round: 1)
        publish(600..<1_000)
        publish(0..<600, round: 2)
        publish(0..<600)
        driver.foreground(id)
        let events = driver.read().flatMap(\.events)
        #expect(events.map(\.aspect) == (600..<1_000).map(name))
        #expect(driver.violations.isEmpty)
    }

    @Test("a subscription that sleeps between two replies takes the rest when it wakes")
    func restIsTakenAfterAnotherBackground() {
        let id = driver.subscribe(
            SubscriptionRequest(aspects: ["org.*"], policies: ["org.n999": Policy(background: .drop)]))
        driver.background(id)
        publish(0..<1_000)
        driver.foreground(id)
        var events = driver.nextDelivery()?.events ?? []
        driver.background(id)
        driver.bus.noteRead(by: id)
        #expect(driver.read().isEmpty)
        publish(1_000..<1_010)
        driver.foreground(id)
        events += driver.read().flatMap(\.events)
        #expect(
            events.map(\.aspect) == (Array(0..<999) + Array(1_000..<1_010)).map(name), "n999 changed in the background")
        #expect(driver.violations.isEmpty)
    }
}
