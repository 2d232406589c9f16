// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleLocal
import ReveilleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct LifecycleTests {
    @Test("a sequence has each state of the lifecycle, in the background too")
    func sequenceHasEachState() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.lifecycle], options: SubscriptionOptions(initial: true))
        #expect(try await subscription.next()?.lifecycle == .active)
        try await device.becomeInactive()
        #expect(try await subscription.next()?.lifecycle == .inactive)
        try await device.enterBackground()
        #expect(try await subscription.next()?.lifecycle == .background)
        try await device.enterForeground()
        #expect(try await subscription.next()?.lifecycle == .active)
    }

    @Test("an inactive subscription receives everything, and other subscriptions do not see it")
    func inactiveSubscriptionReceivesEverything() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.proximity])
        let other = try await device.subscribe(to: [.lifecycle, .proximity])
        try await subscription.becomeInactive()
        #expect(try await device.shell.subscriptions().allSatisfy(\.holds.isEmpty))
        try await device.post(.proximity(.near))
        #expect(try await subscription.next()?.reading == .proximity(.near))
        #expect(try await other.next()?.reading == .proximity(.near))
    }

    @Test("the lifecycle has no state of its own, and cannot be posted")
    func lifecycleBelongsToASubscription() async throws {
        let device = try await Device.inMemory()
        let error = await #expect(throws: ReveilleError.self) { try await device.getAll([.lifecycle]) }
        #expect(error?.code == .invalidArgument, "\(String(describing: error))")
        let post = await #expect(throws: ReveilleError.self) { try await device.post(.lifecycle(.active)) }
        #expect(post?.code == .invalidArgument, "\(String(describing: post))")
    }
}
