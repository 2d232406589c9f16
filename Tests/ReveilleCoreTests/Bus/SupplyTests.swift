// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// The kind of supply, a field of the battery that only clients receive which ask for it.
@Suite struct SupplyTests {
    private let driver = BusDriver()

    private func request(_ wantsSupply: Bool, _ policy: Policy = Policy()) -> SubscriptionRequest {
        SubscriptionRequest(
            aspects: [.battery], wantsSupply: wantsSupply, wantsInitial: true, policies: [.battery: policy])
    }

    @Test("B252: a new supply is a change, which is back where it was for a client that does not know supplies")
    func newSupplyIsAChange() {
        driver.report(.level(80, .charging, supply: .mains))
        let (old, oldStart) = driver.start(request(false))
        let (new, newStart) = driver.start(request(true))
        #expect(oldStart.events.map(\.reading) == [.level(80, .charging)])
        #expect(newStart.events.map(\.reading) == [.level(80, .charging, supply: .mains)])
        driver.report(.level(80, .charging, supply: .usb))
        let deliveries = driver.read()
        let (oldEvents, newEvents) = (
            deliveries.filter { $0.subscription == old }.flatMap(\.events),
            deliveries.filter { $0.subscription == new }.flatMap(\.events)
        )
        #expect(oldEvents.map(\.reading) == [.level(80, .charging)])
        #expect(oldEvents.map(\.isNetChange) == [false])
        #expect(newEvents.map(\.reading) == [.level(80, .charging, supply: .usb)])
        #expect(newEvents.map(\.isNetChange) == [true])
        #expect(oldEvents.map(\.changeCount) == newEvents.map(\.changeCount))
        #expect(oldEvents.map(\.generation) == newEvents.map(\.generation))
    }

    @Test("a client that wants net changes alone is not woken for a supply that it does not know")
    func unknownSupplyIsNoNetChange() {
        driver.report(.level(80, .charging, supply: .mains))
        let policy = Policy(netChangeOnly: true)
        let (old, new) = (driver.start(request(false, policy)).id, driver.start(request(true, policy)).id)
        driver.report(.level(80, .charging, supply: .usb))
        #expect(driver.read().map(\.subscription) == [new])
        driver.report(.level(81, .charging, supply: .usb))
        let events = driver.read().filter { $0.subscription == old }.flatMap(\.events)
        #expect(events.map(\.reading) == [.level(81, .charging)])
        #expect(events.map(\.changeCount) == [2])
    }

    @Test func statesAndHistoryHaveTheSupplyOnRequest() {
        driver.report(.level(80, .charging, supply: .mains))
        driver.report(.level(80, .charging, supply: .wireless))
        for omits in [false, true] {
            let expected = Reading.level(80, .charging, supply: omits ? nil : .wireless)
            #expect(driver.bus.state(of: .battery, at: driver.now, omitsSupply: omits).reading == expected)
            #expect(driver.bus.changes(of: .battery, limit: 1, omitsSupply: omits).map(\.reading) == [expected])
            for limit in [1, nil] {
                #expect(driver.bus.changes(of: .battery, limit: limit, omitsSupply: omits).last?.isNetChange == !omits)
            }
        }
    }
}
