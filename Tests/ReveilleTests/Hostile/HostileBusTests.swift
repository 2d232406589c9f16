// SPDX-License-Identifier: Apache-2.0

import ReveilleLink
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

@testable import Reveille

/// A bus that violates the protocol.
@Suite(.timeLimit(.minutes(10))) struct HostileBusTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/bus" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static var short: Patience {
        var patience = Patience()
        patience.connect = .milliseconds(100)
        patience.answer = .milliseconds(200)
        return patience
    }

    /// Answers every call with an empty reply.
    private static func agree(_ peer: Conversation) {
        while peer.next() != nil { peer.answer() }
    }

    @Test func connectingToABusThatDoesNotAcceptTimesOut() async throws {
        let bus = try MadeUpBus(at: path, backlog: 0, accepts: false, script: Self.agree)
        var waiting: [UnixStream] = []
        while let stream = try? UnixStream(connectingTo: UnixAddress(bus.address), atMost: .zero) {
            waiting.append(stream)
        }
        let error = await #expect(throws: ReveilleError.self) {
            try await Device.connect(to: bus.address, patience: Self.short)
        }
        #expect(error?.code == .timeout)
        #expect(error?.description.contains(path) == true)
        #expect(error?.description.contains("connection queue of the listener is full") == true)
        withExtendedLifetime(waiting) {}
        bus.stop()
    }

    @Test func busThatAcceptsLateIsReached() async throws {
        let bus = try MadeUpBus(at: path, backlog: 0, accepts: false, script: Self.agree)
        var waiting: [UnixStream] = []
        while let stream = try? UnixStream(connectingTo: UnixAddress(bus.address), atMost: .zero) {
            waiting.append(stream)
        }
        async let device = Device.connect(to: bus.address)
        try bus.accept()
        try await device.refresh()
        withExtendedLifetime(waiting) {}
        bus.stop()
    }

    @Test(arguments: [Call.Mode.plain, .oneway])
    func closedConnectionEndsACallThatIsPartlySent(mode: Call.Mode) throws {
        let bus = try MadeUpBus(at: path) { _ in }
        let client = try BlockingClient(UnixAddress(bus.address))
        let long = JSON.string(String(repeating: "x", count: 8 << 20))
        let error = #expect(throws: ReveilleError.self) {
            try client.send(Call(method: "a.b.C", parameters: ["long": long], mode: mode))
            _ = try client.receive()
        }
        #expect(error?.code == .noBus)
        bus.stop()
    }

    @Test("closing a device ends the wait for a suspension") func closeEndsTheWaitForASuspension() async throws {
        let (asked, arrival) = AsyncStream.makeStream(of: Void.self)
        let bus = try MadeUpBus(at: path) { peer in
            while let call = peer.next() {
                if call.member == "SetState" { arrival.yield() } else { peer.answer() }
            }
        }
        let device = try await Device.connect(to: bus.address)
        let suspending = Task { try await device.shell.suspend("1") }
        for await _ in asked { break }
        await device.close()
        let error = await #expect(throws: ReveilleError.self) { try await suspending.value }
        #expect(error?.code == .noBus)
        bus.stop()
    }

    @Test func missingFirstReplyIsAnError() async throws {
        let bus = try MadeUpBus.streaming(at: path) { _ in }
        let device = try await Device.connect(to: bus.address, patience: Self.short)
        let error = await #expect(throws: ReveilleError.self) { try await device.subscribe(to: Set(Aspect.device)) }
        #expect(error?.code == .timeout)
        #expect(error?.description.contains("Subscribe") == true)
        let other = await #expect(throws: ReveilleError.self) {
            try await device.observeConcurrently(.battery) { _ in }
        }
        #expect(other?.code == .timeout)
        bus.stop()
    }

    @Test func invalidEventEndsSubscriptionAndObserverWithAnError() async throws {
        let bus = try MadeUpBus.streaming(at: path) { peer in
            peer.start([.battery(0.5, 1, changes: 0)])
            peer.answer(#"{"events":[{"aspect":"battery","battery":5}]}"#, continues: true)
        }
        let device = try await Device.connect(to: bus.address)
        let subscription = try await device.subscribe(to: [.battery])
        let error = await #expect(throws: ReveilleError.self) { try await subscription.next() }
        #expect(error?.code == .invalidReply)
        let observation = try await device.observeConcurrently(.battery) { _ in }
        while observation.failure == nil { await Task.yield() }
        #expect(observation.failure?.code == .invalidReply)
        bus.stop()
    }

    @Test func invalidEventInTheBackgroundDeliversNothing() async throws {
        let isAsleep = Lock(false)
        let bus = try MadeUpBus.streaming(at: path) { peer in
            peer.start([.battery(0.5, 1, changes: 0)])
            peer.deliver([.battery(0.4, 2)])
            while !isAsleep.withLock({ $0 }) { peer.pause(.milliseconds(1)) }
            peer.answer(#"{"events":[{}]}"#, continues: true)
        }
        let device = try await Device.connect(to: bus.address)
        let subscription = try await device.subscribe(to: [.battery])
        try await subscription.enterBackground()
        isAsleep.withLock { $0 = true }
        let error = await #expect(throws: ReveilleError.self) { try await subscription.next() }
        #expect(error?.code == .invalidReply)
        try await subscription.enterForeground()
        #expect(try await subscription.next()?.generation == 2)
        bus.stop()
    }
}
