// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleTesting
import Testing

/// Policies of names and patterns, and their intervals.
@Suite(.timeLimit(.minutes(10))) struct PaceTests {
    @Test func changesWithinAnIntervalAreMerged() async throws {
        let device = try await TestDevice.inMemory()
        let subscription = try await device.subscribe(
            to: ["org.example.*"],
            options: SubscriptionOptions(policies: ["org.example.*": Policy(interval: .seconds(86_400))]))
        for step in 1...10 { try await device.publish(PublishedName(Volume.name), ["step": step]) }
        // An event of another name does not wait for it.
        try await device.publish(PublishedName("org.example.other"), ["step": 1])
        #expect(try await subscription.next()?.changeCount == 1)
        #expect(try await subscription.next()?.aspect == "org.example.other")
        #expect(try await device.shell.subscriptions().first?.pending == [Volume.name: 9])
        subscription.cancel()
        #expect(try await subscription.next() == nil)
    }

    @Test(
        arguments: [.zero, .milliseconds(-1), .microseconds(999), .seconds(31_536_001), .seconds(Int64.max)]
            as [Duration])
    func intervalOutOfRangeIsRefusedBeforeTheCall(interval: Duration) async throws {
        let device = try await TestDevice.inMemory()
        let error = await #expect(throws: ReveilleError.self) {
            try await device.subscribe(
                to: ["org.example.*"], options: SubscriptionOptions(policies: [Volume.name: Policy(interval: interval)])
            )
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description.contains("org.example.volume") == true)
        #expect(error?.description.contains("from 1 millisecond to a year") == true, "\(error as Any)")
        #expect(try await device.shell.subscriptions().isEmpty)
    }

    @Test func policyOfANameThatIsNotSubscribedIsRefusedByName() async throws {
        let device = try await TestDevice.inMemory()
        for aspect in ["org.other.name", "org.*", "org.example.name.*"] as [Aspect] {
            let error = await #expect(throws: ReveilleError.self) {
                try await device.subscribe(
                    to: ["org.example.*"], options: SubscriptionOptions(policies: [aspect: Policy()]))
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.description.contains("\(aspect)") == true)
        }
        // As before, one of an aspect of the device has no effect.
        _ = try await device.subscribe(
            to: ["org.example.*"], options: SubscriptionOptions(policies: [.battery: Policy(background: .drop)]))
    }

    @Test(arguments: ["volume", "org..volume", "org.example.*.volume", "*", "org.exa mple", ""])
    func invalidNameIsRefusedByName(name: String) async throws {
        let device = try await TestDevice.inMemory()
        let aspect = Aspect(stringLiteral: name)
        var errors: [ReveilleError?] = []
        errors.append(
            await #expect(throws: ReveilleError.self) { try await device.subscribe(to: [.battery, aspect]) })
        errors.append(
            await #expect(throws: ReveilleError.self) { try await device.observeConcurrently(aspect) { _ in } })
        errors.append(
            await #expect(throws: ReveilleError.self) { try await device.get(PublishedName<[String: Int]>(aspect)) })
        errors.append(await #expect(throws: ReveilleError.self) { try await device.getAll([aspect]) })
        for error in errors {
            #expect(error?.code == .invalidArgument)
            #expect(error?.description.contains(name.debugDescription) == true)
        }
        let pattern = await #expect(throws: ReveilleError.self) {
            try await device.get(PublishedName<[String: Int]>("org.example.*"))
        }
        #expect(pattern?.code == .invalidArgument)
    }
}
