// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@testable import Reveille

/// A bus that does not do what a bus does.
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

    /// Answers whatever is asked with nothing.
    private static func agree(_ peer: Conversation) {
        while peer.next() != nil { peer.answer() }
    }

    @Test func busThatAcceptsNobodyIsGivenUpInTime() async throws {
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
        #expect(error?.description.contains("queue of connections is full") == true)
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

    @Test func firstReplyThatNeverComesIsAnError() async throws {
        let bus = try MadeUpBus(at: path) { peer in
            while let call = peer.next() { if call.member != "Subscribe" { peer.answer() } }
        }
        let device = try await Device.connect(to: bus.address, patience: Self.short)
        let error = await #expect(throws: ReveilleError.self) { try await device.subscribe() }
        #expect(error?.code == .timeout)
        #expect(error?.description.contains("Subscribe") == true)
        let other = await #expect(throws: ReveilleError.self) { try await device.observe(.battery) { _ in } }
        #expect(other?.code == .timeout)
        bus.stop()
    }
}
