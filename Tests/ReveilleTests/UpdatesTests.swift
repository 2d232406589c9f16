// SPDX-License-Identifier: Apache-2.0

import Reveille
import Testing

@Suite(.timeLimit(.minutes(10))) struct UpdatesTests {
    @Test func updatesHaveTheTypeOfTheirAspect() async throws {
        let device = try await Device.inMemory()
        try await device.post(.battery(Battery(state: .unplugged, level: 0.5)))
        let updates = try await device.updates(of: \.battery)
        var levels: [Double?] = []
        for try await battery in updates {
            levels.append(battery.level)
            if battery.state == .full { break }
            if levels.count == 1 { try await device.post(.battery(Battery(state: .charging, level: 0.6))) }
            if levels.count == 2 { try await device.post(.battery(Battery(state: .full, level: 1))) }
        }
        #expect(levels == [0.5, 0.6, 1])
    }

    @Test func sequenceOfEventsSupportsBackgroundsAndCounts() async throws {
        let device = try await Device.inMemory()
        let updates = try await device.updates(of: \.proximity, name: "ear")
        #expect(try await updates.events.next()?.proximity == .unknown)
        try await updates.events.enterBackground()
        for reading in [Proximity.near, .far, .near] { try await device.post(.proximity(reading)) }
        #expect(try await device.subscribers().first?.name == "ear")
        try await updates.events.enterForeground()
        #expect(try await updates.events.next()?.changes == 3)
    }

    @Test func releasedSequenceEndsItsSubscription() async throws {
        let device = try await Device.inMemory()
        for try await orientation in try await device.updates(of: \.orientation) {
            #expect(orientation == .unknown)
            break
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
