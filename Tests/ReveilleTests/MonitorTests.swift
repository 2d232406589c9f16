// SPDX-License-Identifier: Apache-2.0

import Observation
import Reveille
import ReveilleLocal
import ReveilleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct MonitorTests {
    @MainActor @Test func monitorHasTheStateAndFollowsIt() async throws {
        let device = try await TestDevice.inMemory()
        try await device.post(.battery(Battery(state: .unplugged, level: 0.5)))
        let battery = try await device.monitor(.battery)
        #expect(battery.value.level == 0.5)
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = battery.value
            } onChange: {
                continuation.resume()
            }
            Task { try await device.post(.battery(Battery(state: .unplugged, level: 0.4))) }
        }
        while battery.value.level != 0.4 { await Task.yield() }
        #expect(battery.failure == nil)
    }

    @MainActor @Test func monitorOfANameHasItsValueAndTheReasonWhyOneCannotBeDecoded() async throws {
        let device = try await TestDevice.inMemory()
        let volume = try await device.monitor(.volume, options: SubscriptionOptions(name: "mixer"))
        #expect(volume.value == nil)
        #expect(try await device.shell.subscriptions().map(\.name) == ["mixer"])
        try await device.publish(.volume, Volume(level: 0.4))
        while volume.value != Volume(level: 0.4) { await Task.yield() }
        try await device.publish(PublishedName(Volume.name), ["level": "loud"])
        while volume.failure == nil { await Task.yield() }
        #expect(volume.failure?.code == .unexpectedValue)
        #expect(volume.value == Volume(level: 0.4))
        try await device.withdraw(.volume)
        while volume.value != nil { await Task.yield() }
        #expect(volume.failure == nil)
    }

    @MainActor @Test("B73: an aspect is watched until its last monitor is released")
    func lastMonitorEndsTheWatch() async throws {
        let device = try await TestDevice.inMemory()
        var monitors = [try await device.monitor(.battery), try await device.monitor(.battery)]
        monitors.removeFirst()
        #expect(try await device.shell.subscriptions().count == 1)
        monitors.removeAll()
        try await waitUntilAllSubscriptionsEnd(to: device)
    }
}

@Suite(.timeLimit(.minutes(10))) struct CloseTests {
    @Test func closedDeviceEndsItsSubscriptionsAndRefusesCalls() async throws {
        let device = try await TestDevice.inMemory()
        let subscription = try await device.subscribe(to: [.battery])
        async let last = subscription.next()
        let token = try await device.observeConcurrently(.battery) { _ in Issue.record("called after the end") }
        await device.close()
        #expect(try await last == nil)
        #expect(token.failure == nil)
        let error = await #expect(throws: ReveilleError.self) { try await device.get(.battery) }
        #expect(error?.code == .closed && error?.description.contains("the device is closed") == true)
        let refusal = await #expect(throws: ReveilleError.self) { try await device.subscribe(to: [.battery]) }
        #expect(refusal?.code == .closed)
        await device.close()
    }

    @Test func operationOnADeviceWithoutABusDoesNotRun() async {
        let error = await #expect(throws: ReveilleError.self) {
            try await withDevice(at: "unix:/nowhere/socket") { _ in Issue.record("there is no bus") }
        }
        #expect(error?.code == .noBus)
    }

    @Test func taskOfADeviceIsListedWhileItRuns() async throws {
        let device = try await TestDevice.inMemory()
        let names = try await device.withBackgroundTask("save") { task in
            #expect(task.failure == nil)
            return try await device.shell.subscriptions().flatMap(\.tasks).map(\.name)
        }
        #expect(names == ["save"])
    }

    @Test func operationIsCancelledWhenItsTimeEnds() async throws {
        let device = try await Device.inMemory("{ lifecycle: { taskTime: 0.05 } }")
        await #expect(throws: CancellationError.self) {
            try await device.withBackgroundTask("sync", onExpiration: .cancel) { _ in
                while !Task.isCancelled { await Task.yield() }
                try Task.checkCancellation()
            }
        }
    }
}
