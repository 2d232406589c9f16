// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleLocal
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@testable import Reveille

@Suite(.timeLimit(.minutes(10))) struct BackgroundTests {
    @Test func statesOfAReplacedBusWaitForTheWake() async throws {
        let directory = try TemporaryDirectory()
        let (isReplaced, hasResumed) = (Lock(false), Lock(false))
        let bus = try MadeUpBus(at: directory.path + "/bus") { peer in
            while let call = peer.next() {
                guard call.member == "Subscribe" else {
                    peer.answer()
                    continue
                }
                guard call.parameters["state"]?.stringValue == "background" else {
                    peer.start([.battery(0.5, 7, changes: 0)])
                    while !isReplaced.withLock({ $0 }) { peer.pause(.milliseconds(1)) }
                    return
                }
                peer.start([.battery(0.4, 1, changes: 0)], instance: "j", resumed: false)
                hasResumed.withLock { $0 = true }
            }
        }
        let device = try await Device.connect(to: bus.address)
        let subscription = try await device.subscribe(to: [.battery])
        let isAwake = Lock(false)
        let consumer = Task {
            let event = try await subscription.next()
            return (event, isAwake.withLock { $0 })
        }
        try await subscription.enterBackground()
        isReplaced.withLock { $0 = true }
        while !hasResumed.withLock({ $0 }) { await Task.yield() }
        for _ in 0..<100 { try await device.refresh() }
        isAwake.withLock { $0 = true }
        try await subscription.enterForeground()
        let (event, wasAwake) = try await consumer.value
        #expect(event?.generation == 1)
        #expect(wasAwake, "delivered in the background")
        bus.stop()
    }

    @Test("after the end of a subscription or of its device, a change of the background says so")
    func endedSubscriptionsSaySo() async throws {
        let device = try await Device.inMemory()
        let subscriptions = [try await device.subscribe(to: [.battery]), try await device.subscribe(to: [.battery])]
        func expectClosed(_ subscription: Subscription) async {
            for attempt in [
                { () async throws -> Void in try await subscription.enterBackground() },
                { () async throws -> Void in try await subscription.enterForeground() },
                { () async throws -> Void in try await subscription.becomeInactive() },
            ] {
                let error = await #expect(throws: ReveilleError.self) { try await attempt() }
                #expect(error?.code == .closed)
            }
        }
        subscriptions[0].cancel()
        while try await device.shell.subscriptions().count > 1 { await Task.yield() }
        await expectClosed(subscriptions[0])
        try await device.enterBackground()
        await device.close()
        await expectClosed(subscriptions[1])
        await #expect { try await device.enterForeground() } throws: { ($0 as? ReveilleError)?.code == .closed }
    }

    @Test(arguments: [Duration.zero, .microseconds(999), .milliseconds(-5), .seconds(31_536_001), .seconds(Int64.max)])
    func wakeAfterMustBeInItsRange(_ time: Duration) async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.battery])
        for attempt in [
            { () async throws -> Void in try await subscription.enterBackground(wakeAfter: time) },
            { () async throws -> Void in try await device.enterBackground(wakeAfter: time) },
            { () async throws -> Void in try await device.shell.hold("0000000000000000", wakeAfter: time) },
        ] {
            let error = await #expect(throws: ReveilleError.self) { try await attempt() }
            #expect(error?.code == .invalidArgument)
            #expect(error?.description.contains("\(time)") == true)
            #expect(error?.description.contains("31536000000") == true)
        }
        #expect(try await device.shell.subscriptions().allSatisfy(\.holds.isEmpty))
        try await subscription.enterBackground(wakeAfter: .seconds(31_536_000))
        try await subscription.enterBackground(wakeAfter: .milliseconds(1))
    }

    @Test func subscriptionIsDescribedInWords() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(
            to: [.proximity], options: SubscriptionOptions(name: "player", background: true))
        try await device.post(.proximity(.near))
        let descriptions = try await device.shell.subscriptions().map(\.description)
        #expect(descriptions == ["\"player\", pid \(getpid()), held by app, pending: proximity 1"])
        subscription.cancel()
    }

    @Test func backgroundWithoutADeadlineRemovesTheOldDeadline() async throws {
        let directory = try TemporaryDirectory()
        let calls = Lock<[JSONObject]>([])
        let bus = try MadeUpBus(at: directory.path + "/bus") { peer in
            while let call = peer.next() {
                if call.member == "SetState" { calls.withLock { $0.append(call.parameters) } }
                if call.member == "Subscribe" { peer.start() } else { peer.answer() }
            }
        }
        let device = try await Device.connect(to: bus.address)
        let subscription = try await device.subscribe(to: [.battery])
        try await subscription.enterBackground(wakeAfter: .seconds(3_600))
        #expect(await device.engine.hasDeadline)
        try await subscription.enterBackground()
        #expect(await !device.engine.hasDeadline)
        #expect(calls.withLock { $0.map { $0["wakeAfter"] != nil } } == [true, false])
        bus.stop()
    }
}

extension Engine {
    fileprivate var hasDeadline: Bool {
        streams.values.contains { $0.background?.timer != nil || $0.background?.deadline != nil }
    }
}
