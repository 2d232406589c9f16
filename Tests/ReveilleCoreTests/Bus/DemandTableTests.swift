// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

@testable import ReveilleCore

@Suite struct DemandTableTests {
    private static let names = RandomOperations.names + RandomOperations.patterns

    /// Publishers that come and go, with what each knows.
    private struct Observers {
        var known: [UInt64: [Aspect: Bool]] = [:]
        private var last: UInt64 = 0

        mutating func change(_ driver: BusDriver, _ random: inout SplitMix64) {
            if known.count < 4, random.next() % 2 == 0 {
                last += 1
                known[last] = [:]
                for name in DemandTableTests.names where random.next() % 3 == 0 {
                    driver.bus.demand.observe(name, by: last)
                    known[last]?[name] = driver.bus.demand.isNeeded(name)
                }
            } else if let (publisher, names) = known.min(by: { $0.key < $1.key }) {
                known[publisher] = nil
                for name in names.keys { driver.bus.demand.endObserving(name, by: publisher) }
            }
        }

        /// Returns the publishers that know something that has changed, and lets them know.
        mutating func outdated(_ driver: BusDriver) -> Set<UInt64> {
            let former = known
            for (publisher, names) in known {
                for name in names.keys { known[publisher]?[name] = driver.bus.demand.isNeeded(name) }
            }
            return Set(former.filter { known[$0.key] != $0.value }.keys)
        }
    }

    @Test("whatever subscriptions and publishers do, each publisher of a changed need is found, and none beside it")
    func changesAreComplete() {
        for seed in 0..<100 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let driver = BusDriver()
            var ids: [SubscriptionID: [Aspect]] = [:]
            var observers = Observers()
            for step in 0..<200 {
                if random.next() % 4 == 0 { observers.change(driver, &random) }
                var touched: [Aspect] = []
                for _ in 0...random.next() % 3 { touched += Self.step(driver, &ids, &random) }
                let found = driver.bus.demand.takeChanged()
                #expect(observers.outdated(driver).subtracting(found).isEmpty, "seed \(seed)")
                for publisher in found {
                    let names = observers.known[publisher] ?? [:]
                    #expect(names.keys.contains { name in touched.contains { $0.overlaps(name) } }, "seed \(seed)")
                }
                #expect(!driver.bus.demand.hasChanges)
                if step % 10 == 0 { #expect(driver.violations == [], "seed \(seed)") }
            }
        }
    }

    /// Lets one subscription begin, end, sleep or wake, and returns its names.
    private static func step(
        _ driver: BusDriver, _ ids: inout [SubscriptionID: [Aspect]], _ random: inout SplitMix64
    ) -> [Aspect] {
        let place = Int(random.next() % 4)
        let order = ids.keys.sorted { $0.rawValue < $1.rawValue }
        guard place < order.count else {
            let aspects = Self.names.filter { _ in random.next() % 3 == 0 }
            let backgrounds: [Policy.Background] = [.immediate, .hold(limit: 2), .coalesce, .drop]
            var request = SubscriptionRequest(aspects: AspectSet(aspects))
            for name in Self.names where random.next() % 2 == 0 && request.aspects.covers(name) {
                request.policies[name] = Policy(background: backgrounds[Int(random.next() % 4)])
            }
            if random.next() % 3 == 0 { driver.publish("org.a.x", "\(random.next() % 9)") }
            ids[driver.subscribe(request)] = aspects
            return aspects
        }
        let id = order[place]
        let reason = [HoldReasons.app, .operator, .frozen][Int(random.next() % 3)]
        switch random.next() % 9 {
        case 0:
            driver.bus.cancel(id)
            return ids.removeValue(forKey: id) ?? []
        case 1, 2: driver.bus.setLate(random.next() % 2 == 0, id)
        case 3: driver.publish("org.a.x", random.next() % 2 == 0 ? nil : "1")
        case 4..<7: driver.background(id, reason)
        default: driver.foreground(id, reason)
        }
        return ids[id] ?? []
    }

    @Test("a subscription that goes and comes finds the publishers of its own names, however many others there are")
    func othersAreNotFound() {
        let driver = BusDriver()
        for number in 0..<4_000 as Range<UInt64> {
            driver.bus.demand.observe(Aspect(stringLiteral: "com.n\(number)"), by: number)
        }
        driver.bus.demand.observe("com.n7.*", by: 4_000)
        driver.bus.demand.observe("com.*", by: 4_001)
        let id = driver.subscribe(SubscriptionRequest(aspects: ["org.example.*", "com.n", "com.n70"]))
        #expect(driver.bus.demand.takeChanged() == [70, 4_001])
        driver.background(id)
        #expect(driver.bus.demand.takeChanged() == [70, 4_001])
        driver.bus.cancel(id)
        #expect(!driver.bus.demand.hasChanges, "what sleeps has nothing to end")
        driver.bus.cancel(driver.subscribe(SubscriptionRequest(aspects: ["com.n7.*", "com.n7.a.*"])))
        #expect(driver.bus.demand.takeChanged() == [4_000, 4_001])
    }
}
