// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

@Suite struct MemoryTests {
    @Test("a bus with a thousand names and a thousand patterns has a million entries, of two in a cache line")
    func entryIsSmall() {
        #expect(MemoryLayout<Entry>.stride == 32)
    }

    @Test("subscriptions and names that come and go leave nothing behind")
    func nothingIsLeftBehind() {
        let driver = BusDriver()
        for round in 0..<2_000 {
            let policies: [Aspect: Policy] = ["org.*": Policy(interval: .milliseconds(1 + round % 3))]
            let ids = (0..<4).map { number in
                driver.subscribe(
                    SubscriptionRequest(
                        aspects: ["org.*", Aspect(stringLiteral: "com.n\(round).\(number)"), .battery],
                        policies: policies))
            }
            driver.publish(Aspect(stringLiteral: "org.n\(round)"), "{}")
            if round % 2 == 0 { _ = driver.read() }
            driver.publish(Aspect(stringLiteral: "org.n\(round)"), nil)
            if round % 3 == 0 { _ = driver.read() }
            for id in ids { driver.bus.cancel(id) }
        }
        let bus = driver.bus.sizes
        #expect(bus.used == [0, 0, 0, 0, 0, 0])
        #expect(bus.allocated.max() ?? 0 < 64)
        #expect(BusConsistency(of: driver.bus).violations == [])
    }

    @Test("the queue of ready subscriptions is no longer than their number, even if it is never empty")
    func readyQueueIsShort() {
        let driver = BusDriver()
        for _ in 0..<10 { _ = driver.subscribe(SubscriptionRequest(aspects: [.battery])) }
        for round in 0..<10_000 {
            driver.report(.level(round % 100))
            if let delivery = driver.nextDelivery() { driver.foreground(delivery.subscription, .unread) }
            #expect(driver.bus.ready.slots.count <= 2 * 10)
        }
    }
}

extension Bus {
    /// The numbers of used and of allocated elements of its lists.
    fileprivate var sizes: (used: [Int], allocated: [Int]) {
        (
            [
                nameTable.logs.count, nameTable.counts.count, slotOf.count, nameTable.slotsOfPattern.count,
                entries.count - freeEntries.count, paced.items.count,
            ],
            [logs.count, slots.count, entries.count, policies.count, ready.slots.count]
        )
    }
}
