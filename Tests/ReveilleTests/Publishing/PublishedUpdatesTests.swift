// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleTesting
import Testing

/// Typed values of published names, and their observers.
@Suite(.timeLimit(.minutes(10))) struct PublishedUpdatesTests {
    @Test func updatesAreTheCurrentValueAndEachNewOne() async throws {
        let device = try await TestDevice.inMemory()
        let updates = try await device.updates(of: Volume.name, as: Volume.self, name: "mixer")
        #expect(try await device.subscribers().first?.name == "mixer")
        var values: [Volume?] = []
        for try await volume in updates {
            values.append(volume)
            switch values.count {
            case 1: try await device.publish(Volume.name, Volume(level: 0.1))
            case 2: try await device.publish(Volume.name, Volume(level: 0.2))
            case 3: try await device.withdraw(Volume.name)
            default: break
            }
            if values.count == 4 { break }
        }
        #expect(values == [nil, Volume(level: 0.1), Volume(level: 0.2), nil])
    }

    @Test func valueOfAnotherTypeEndsTheLoopButNotTheSequence() async throws {
        let device = try await TestDevice.inMemory()
        let updates = try await device.updates(of: Volume.name, as: Volume.self)
        var values = updates.makeAsyncIterator()
        #expect(try await values.next() == .some(nil))
        try await device.publish(Volume.name, ["level": "loud"])
        let error = await #expect(throws: ReveilleError.self) { try await values.next() }
        #expect(error?.code == .unexpectedValue)
        try await device.publish(Volume.name, Volume(level: 0.3))
        for try await volume in updates {
            #expect(volume == Volume(level: 0.3))
            break
        }
    }

    @Test(arguments: [Volume.name, "org.example.*"])
    func observersOfAnAspectShareASubscription(aspect: Aspect) async throws {
        let device = try await TestDevice.inMemory()
        try await device.publish(Volume.name, Volume(level: 0.1))
        let (calls, continuation) = AsyncStream.makeStream(of: (Int, Event).self)
        var iterator = calls.makeAsyncIterator()
        let first = try await device.observe(aspect) { continuation.yield((1, $0)) }
        let second = try await device.observe(aspect, delivering: .currentState) { continuation.yield((2, $0)) }
        #expect(try await device.subscribers().map(\.aspects) == [AspectSet(aspect)])
        let state = try #require(await iterator.next())
        #expect(state.0 == 2)
        #expect(state.1.changes == 0)
        #expect(try state.1.value(as: Volume.self) == Volume(level: 0.1))
        try await device.withdraw(Volume.name)
        for _ in 1...2 { #expect(await iterator.next()?.1.published?.isWithdrawn == true) }
        // A pattern has no state of a name that was withdrawn; the name itself has an empty one.
        let third = try await device.observe(aspect, delivering: .currentState) { continuation.yield((3, $0)) }
        if !aspect.isPattern { #expect(await iterator.next()?.1.changes == 0) }
        try await device.publish(Volume.name, Volume(level: 0.2))
        for _ in 1...3 {
            let event = try #require(await iterator.next()).1
            #expect(try event.value(as: Volume.self) == Volume(level: 0.2))
            #expect(event.changes == 1)
        }
        for observation in [first, second, third] { observation.cancel() }
        try await waitUntilAllSubscriptionsEnd(to: device)
    }

    @Test func nameIsMonitoredBeforeItIsPublished() async throws {
        let device = try await TestDevice.inMemory()
        #expect(try await device.beginMonitoring(Volume.name))
        #expect(device.reading(of: Volume.name).published?.isWithdrawn == true)
        try await device.publish(Volume.name, Volume(level: 0.5))
        while device.reading(of: Volume.name).published?.isWithdrawn == true { await Task.yield() }
        #expect(try device.reading(of: Volume.name).published?.decode(as: Volume.self) == Volume(level: 0.5))
        device.endMonitoring(Volume.name)
        #expect(!device.isMonitoring(Volume.name))
        let error = await #expect(throws: ReveilleError.self) { try await device.beginMonitoring("org.example.*") }
        #expect(error?.code == .invalidArgument)
    }
}
