// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@testable import Reveille

/// Reconnecting to a bus that fails repeatedly.
@Suite(.timeLimit(.minutes(10))) struct ReconnectTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/bus" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func connectingIsRetriedAfterAnErrorReply() async throws {
        let asked = Lock(0)
        let bus = try MadeUpBus(at: path) { peer in
            while let call = peer.next() {
                guard call.member == "GetInfo" else { return }
                if asked.increment() == 2 { peer.refuse("org.example.NotNow") } else { peer.answer() }
            }
        }
        let device = try await Device.connect(to: bus.address)
        var states = await device.connectionStates.makeAsyncIterator()
        #expect(await states.next() == .connected)
        // The connection ends without a reply.
        await #expect(throws: ReveilleError.self) { try await device.refresh() }
        while let state = await states.next(), state != .connected {}
        #expect(asked.withLock { $0 } == 3)
        bus.stop()
    }

    @Test("a call that is answered before the next attempt to reconnect reports the bus as reachable")
    func answeredCallReportsTheBusAsReachable() async throws {
        let connected = Lock(0)
        let refreshed = Lock(0)
        let bus = try MadeUpBus(at: path) { peer in
            while let call = peer.next() {
                switch call.member {
                // No attempt to reconnect succeeds.
                case "GetInfo" where connected.increment() > 1: peer.refuse("org.example.NotNow")
                case "Refresh" where refreshed.increment() == 1: return
                default: peer.answer()
                }
            }
        }
        let device = try await Device.connect(to: bus.address)
        await #expect(throws: ReveilleError.self) { try await device.refresh() }
        // An attempt that is refused during the call reports the bus as gone again.
        var state: ConnectionState?
        for _ in 0..<20 where state != .connected {
            try await device.refresh()
            var states = await device.connectionStates.makeAsyncIterator()
            state = await states.next()
        }
        #expect(state == .connected)
        bus.stop()
    }
}
