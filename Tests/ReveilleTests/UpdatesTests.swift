// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleLocal
import ReveilleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct UpdatesTests {
    @Test func updatesHaveTheTypeOfTheirAspect() async throws {
        let device = try await Device.inMemory()
        try await device.post(.battery(Battery(state: .unplugged, level: 0.5)))
        var levels: [Double?] = []
        for try await battery in device.updates(of: .battery) {
            levels.append(battery.level)
            if battery.state == .full { break }
            if levels.count == 1 { try await device.post(.battery(Battery(state: .charging, level: 0.6))) }
            if levels.count == 2 { try await device.post(.battery(Battery(state: .full, level: 1))) }
        }
        #expect(levels == [0.5, 0.6, 1])
    }

    @Test("each loop over one sequence has every state, and a subscription that ends with it")
    func loopsAreIndependent() async throws {
        let device = try await Device.inMemory()
        let updates = device.updates(of: .proximity, options: SubscriptionOptions(name: "ear"))
        #expect(try await device.shell.subscriptions().isEmpty)
        do {
            var (one, two) = (updates.makeAsyncIterator(), updates.makeAsyncIterator())
            #expect(try await one.next() == .unknown)
            #expect(try await two.next() == .unknown)
            #expect(try await device.shell.subscriptions().map(\.name) == ["ear", "ear"])
            try await device.enterBackground()
            for reading in [Proximity.near, .far, .near] { try await device.post(.proximity(reading)) }
            try await device.enterForeground()
            #expect(try await one.next() == .near)
            #expect(try await two.next() == .near)
        }
        try await waitUntilAllSubscriptionsEnd(to: device)
    }

    @Test(arguments: Battery.State.allCases) func batteryIsCreatedFromItsState(_ state: Battery.State) {
        let battery = Battery(state: state, level: 0.5)
        #expect(battery.level == 0.5)
        #expect(battery.packs.isEmpty)
        #expect(battery.isPlugged == [.unknown: nil, .unplugged: false, .charging: true, .full: true][state])
        #expect(Battery(state: .unknown) == .unknown)
    }
}
