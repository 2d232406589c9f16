// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleLocal
import ReveilleTesting
import Testing
import Varlink

private struct Unencodable: Encodable {
    struct Refusal: Error, CustomStringConvertible {
        let description = "not now"
    }

    func encode(to encoder: any Encoder) throws { throw Refusal() }
}

@Suite(.timeLimit(.minutes(10))) struct PublishingTests {
    @Test func publishedValueIsDelivered() async throws {
        let device = try await TestDevice.inMemory()
        let subscription = try await device.subscribe(to: ["org.example.volume"])
        let revision = try await device.publish(.volume, Volume(level: 0.4))
        let event = try #require(await subscription.next())
        #expect(event.aspect == Volume.name)
        #expect(try event.value(as: Volume.self) == Volume(level: 0.4))
        #expect(event.published?.json == #"{"isMuted":false,"level":0.4}"#)
        #expect(Revision(generation: event.generation, sequence: event.sequence) == revision)
        #expect(try await device.value(of: .volume) == Volume(level: 0.4))
    }

    @Test func withdrawnValueIsDeliveredAsNoValue() async throws {
        let device = try await TestDevice.inMemory()
        let subscription = try await device.subscribe(to: ["org.example.volume"])
        #expect(try await device.value(of: .volume) == nil)
        try await device.publish(.volume, Volume(level: 0.4))
        _ = try await subscription.next()
        try await device.withdraw(.volume)
        let event = try #require(await subscription.next())
        #expect(event.published?.isWithdrawn == true)
        #expect(try event.value(as: Volume.self) == nil)
        #expect(try await device.value(of: .volume) == nil)
        try await device.withdraw(.volume)
        try await device.withdraw(PublishedName<[String: Int]>("org.example.never"))
    }

    @Test("B192: a subscriber that comes late gets the current values if it asks for them")
    func lateSubscriberGetsCurrentValues() async throws {
        let device = try await TestDevice.inMemory()
        try await device.publish(PublishedName("org.example.a"), ["step": 1])
        try await device.publish(PublishedName("org.example.b"), ["step": 2])
        try await device.publish(PublishedName("org.example.gone"), ["step": 3])
        try await device.withdraw(PublishedName<[String: Int]>("org.example.gone"))
        let names = try await device.subscribe(
            to: ["org.example.a", "org.example.never"], options: SubscriptionOptions(initial: true))
        var states: [Aspect: Event] = [:]
        while states.count < 2, let event = try await names.next() { states[event.aspect] = event }
        #expect(try states["org.example.a"]?.value(as: [String: Int].self) == ["step": 1])
        #expect(states["org.example.never"]?.published?.isWithdrawn == true)
        #expect(states.values.allSatisfy { $0.changeCount == 0 })

        let pattern = try await device.subscribe(to: ["org.example.*"], options: SubscriptionOptions(initial: true))
        let matched = [try #require(await pattern.next()), try #require(await pattern.next())]
        #expect(matched.map(\.aspect) == ["org.example.a", "org.example.b"])
        try await device.publish(PublishedName("org.example.c"), ["step": 4])
        // Nothing else came before.
        #expect(try await pattern.next()?.aspect == "org.example.c")
        #expect(
            try await device.getAll(["org.example.*"]).map(\.aspect)
                == ["org.example.a", "org.example.b", "org.example.c"])
    }

    // MARK: - Refusals

    @Test(
        arguments: [
            (7, "org.example.volume: the value must be a JSON object, not a number"),
            ([1, 2], "org.example.volume: the value must be a JSON object, not an array"),
            ("loud", "org.example.volume: the value must be a JSON object, not a string"),
            (nil as Int?, "org.example.volume: the value must be a JSON object, not null"),
            (
                ["text": "e" + String(repeating: "\u{301}", count: 31)],
                "org.example.volume: the value has more than 30 combining marks in a row"
            ),
            (Unencodable(), "org.example.volume: the value cannot be encoded as JSON: not now"),
            (
                ["level": Double.nan],
                "org.example.volume: the value cannot be encoded as JSON: level: expected a finite number, found nan"
            ),
        ] as [(any Encodable & Sendable, String)])
    func valueThatCannotBePublishedIsRefused(value: any Encodable & Sendable, description: String) async throws {
        let device = try await TestDevice.inMemory()
        let error = await #expect(throws: ReveilleError.self) {
            try await device.publish(PublishedValue(Volume.name, encoding: value))
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description == description)
    }

    @Test(arguments: ["battery", "volume", "org.example.*", "org..volume", "", "org.example.l\u{e4}rm"])
    func onlyNamesCanBePublished(name: String) async throws {
        let device = try await TestDevice.inMemory()
        let aspect = Aspect(stringLiteral: name)
        var errors: [ReveilleError?] = []
        errors.append(
            await #expect(throws: ReveilleError.self) { try await device.publish(PublishedName(aspect), ["a": 1]) })
        errors.append(
            await #expect(throws: ReveilleError.self) {
                try await device.withdraw(PublishedName<[String: Int]>(aspect))
            })
        errors.append(
            await #expect(throws: ReveilleError.self) { try await device.value(of: PublishedName<Volume>(aspect)) })
        errors.append(
            await #expect(throws: ReveilleError.self) {
                for try await _ in device.updates(of: PublishedName<Volume>(aspect)) {}
            })
        for error in errors {
            #expect(error?.code == .invalidArgument)
            #expect(error?.description.contains(name.debugDescription) == true)
        }
    }

    @Test func valueThatIsNestedTooDeeplyIsRefusedWithTheLimit() async throws {
        let device = try await TestDevice.inMemory()
        func nested(_ depth: Int) -> JSONObject { depth > 1 ? ["a": .object(nested(depth - 1))] : [:] }
        for depth in [28, 32, 33, 100] {
            let error = await #expect(throws: ReveilleError.self) {
                try await device.publish(PublishedName(Volume.name), nested(depth))
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.description.hasPrefix("org.example.volume: the value cannot be encoded") == true)
            #expect(error?.description.hasSuffix("nested deeper than 27 levels") == true, "\(error as Any)")
        }
        try await device.publish(PublishedName(Volume.name), nested(27))
        #expect(try await device.value(of: PublishedName<JSONObject>(Volume.name)) == nested(27))
    }

    @Test func valueThatIsTooLongIsRefusedWithItsLimit() async throws {
        let device = try await TestDevice.inMemory()
        for (length, limit) in [(5_000, "4096"), (1 << 20, "65024")] {
            let text = String(repeating: "x", count: length)
            let error = await #expect(throws: ReveilleError.self) {
                try await device.publish(PublishedName(Volume.name), ["text": text])
            }
            #expect(error?.code == .quotaExceeded)
            #expect(error?.description.contains("org.example.volume") == true)
            #expect(error?.description.contains(limit) == true, "\(error as Any)")
        }
        // The connection continues.
        try await device.publish(PublishedName(Volume.name), ["text": "x"])
    }

    @Test("B191: one name more than a user can have is refused, and names the limit")
    func oneNameTooManyIsRefused() async throws {
        let device = try await Device.inMemory("{ publish: { names: 1 } }")
        try await device.publish(PublishedName("org.example.n1"), ["a": 1])
        let error = await #expect(throws: ReveilleError.self) {
            try await device.publish(.volume, Volume(level: 1))
        }
        #expect(error?.code == .quotaExceeded)
        #expect(error?.description.contains("org.example.volume") == true)
        #expect(error?.description.contains("at most 1 name") == true, "\(error as Any)")
        #expect(error?.parameters == ["quota": "names", "limit": "1"])
        try await device.withdraw(PublishedName<[String: Int]>("org.example.n1"))
        try await device.publish(.volume, Volume(level: 1))
    }

    @Test func valueOfAnotherTypeIsAnErrorWithItsPath() async throws {
        let device = try await TestDevice.inMemory()
        try await device.publish(PublishedName(Volume.name), ["level": "loud"])
        let error = await #expect(throws: ReveilleError.self) {
            try await device.value(of: .volume)
        }
        #expect(error?.code == .unexpectedValue)
        #expect(
            error?.description
                == "org.example.volume: the value is not a Volume: level: expected a number, found a string")
    }
}
