// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct PhonePublishingTests {
    private static let name: Aspect = "org.example.volume"

    private struct Volume: Codable, Hashable {
        var level: Double
    }

    @Test("a state that the phone publishes has been delivered when the subscriber is up to date")
    func publishedStateIsDelivered() async throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus()
        let device = try await Device.connect(to: bus.address)
        let subscription = try await device.subscribe(
            to: ["org.example.*"], options: SubscriptionOptions(name: "mixer"))
        try await subscription.enterBackground()
        for step in 1...20 { try phone.publish(PublishedName(Self.name), Volume(level: Double(step))) }
        #expect(try await device.shell.subscriptions().first?.pending == [Self.name: 20])
        // A sleeper is up to date.
        try await bus.waitUntilDelivered()
        try await subscription.enterForeground()
        try await bus.waitUntilDelivered()
        let event = try #require(await subscription.next())
        #expect(event.changeCount == 20)
        #expect(try event.value(as: Volume.self) == Volume(level: 20))
        try phone.withdraw(PublishedName<[String: Int]>(Self.name))
        #expect(try await subscription.next()?.published?.isWithdrawn == true)
    }

    @Test("a test waits for what a program publishes and withdraws") func testWaitsForAPublisher() async throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus()
        do {
            let publisher = try await Device.connect(to: bus.address)
            let changes = Task {
                try await publisher.publish(PublishedName(Self.name), ["level": "loud"])
                for level in [1.0, 2.0] {
                    try await publisher.publish(PublishedName(Self.name), Volume(level: level), whileConnected: true)
                }
            }
            #expect(try await bus.waitUntilPublished(PublishedName(Self.name)) { $0.level == 2 } == Volume(level: 2))
            try await changes.value
        }
        try await bus.waitUntilWithdrawn(PublishedName<[String: Int]>(Self.name))
    }

    @Test("a state that is not published in time is reported with the last one")
    func missingStateIsReported() async throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus()
        func wait() async -> ReveilleError? {
            await #expect(throws: ReveilleError.self) {
                try await bus.waitUntilPublished(PublishedName<Volume>(Self.name), atMost: .zero) { $0.level > 1 }
            }
        }
        #expect(await wait()?.description.contains("org.example.volume: withdrawn") == true)
        try phone.publish(PublishedName(Self.name), Volume(level: 1))
        let error = await wait()
        #expect(error?.code == .timeout)
        #expect(error?.description.contains(#"org.example.volume: {"level":1}"#) == true)
        try phone.publish(PublishedName(Self.name), ["level": "loud"])
        #expect(await wait()?.description.contains("expected a number") == true)
        let late = await #expect(throws: ReveilleError.self) {
            try await bus.waitUntilWithdrawn(PublishedName<[String: Int]>(Self.name), atMost: .zero)
        }
        #expect(late?.description.contains("loud") == true)
    }

    @Test("a phone without a bus, and a name or value that cannot be published, are reported")
    func impossibleStateIsReported() throws {
        let phone = try SyntheticPhone()
        func failure(_ name: Aspect, _ value: some Encodable) -> String {
            #expect(throws: TestbedError.self) { try phone.publish(PublishedName(name), value) }?.description ?? ""
        }
        #expect(failure(Self.name, Volume(level: 1)).contains("has no bus"))
        let bus = try phone.startBus()
        #expect(failure("volume", Volume(level: 1)).contains("at least two words"))
        #expect(failure(Self.name, 7).contains("must be a JSON object, not a number"))
        #expect(throws: TestbedError.self) { try phone.withdraw(PublishedName<[String: Int]>("org.example.*")) }
        #expect(bus.stop() == 0)
        #expect(!failure(Self.name, Volume(level: 1)).isEmpty)
    }
}
