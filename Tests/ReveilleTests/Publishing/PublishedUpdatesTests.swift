// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct PublishedUpdatesTests {
    @Test func updatesAreTheCurrentValueAndEachNewOne() async throws {
        let device = try await TestDevice.inMemory()
        var values: [Volume?] = []
        for try await volume in device.updates(of: .volume, options: SubscriptionOptions(name: "mixer")) {
            values.append(volume)
            switch values.count {
            case 1:
                #expect(try await device.shell.subscriptions().first?.name == "mixer")
                try await device.publish(.volume, Volume(level: 0.1))
            case 2: try await device.publish(.volume, Volume(level: 0.2))
            case 3: try await device.withdraw(.volume)
            default: break
            }
            if values.count == 4 { break }
        }
        #expect(values == [nil, Volume(level: 0.1), Volume(level: 0.2), nil])
    }

    @Test func valueOfAnotherTypeEndsTheLoopButNotTheSequence() async throws {
        let device = try await TestDevice.inMemory()
        let updates = device.updates(of: .volume)
        var values = updates.makeAsyncIterator()
        #expect(try await values.next() == .some(nil))
        try await device.publish(PublishedName(Volume.name), ["level": "loud"])
        let error = await #expect(throws: ReveilleError.self) { try await values.next() }
        #expect(error?.code == .unexpectedValue)
        try await device.publish(.volume, Volume(level: 0.3))
        for try await volume in updates {
            #expect(volume == Volume(level: 0.3))
            break
        }
    }
}
