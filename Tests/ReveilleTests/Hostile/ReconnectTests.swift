// SPDX-License-Identifier: Apache-2.0

import Logging
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

    @Test("a logger that is passed gets the loss of the bus, its return, and what is unknown, once each")
    func passedLoggerGetsTheLoss() async throws {
        let lines = Lock<[String]>([])
        let logger = Logger(label: "program") { _ in LineHandler { line in lines.withLock { $0.append(line) } } }
        await #expect(throws: ReveilleError.self) { try await Device.connect(to: "unix:" + path, logger: logger) }
        let (asked, subscribed) = (Lock(0), Lock(0))
        let bus = try MadeUpBus(at: path) { peer in
            while let call = peer.next() {
                switch call.member {
                case "Subscribe" where subscribed.increment() == 1:
                    peer.start()
                    for _ in 0..<2 { peer.answer(#"{"events":[{"aspect":"weather"}]}"#, continues: true) }
                    peer.deliver([.battery(0.5, 1)])
                // Two attempts to reconnect fail.
                case "GetInfo" where (2...3).contains(asked.increment()): peer.refuse("org.example.NotNow")
                case "Refresh": return
                default: peer.answer()
                }
            }
        }
        let device = try await Device.connect(to: bus.address, logger: logger)
        let subscription = try await device.subscribe(to: [.battery])
        #expect(try await subscription.next()?.generation == 1)
        await #expect(throws: ReveilleError.self) { try await device.refresh() }
        while lines.withLock({ $0.last != "reconnected to the bus" }) { await Task.yield() }
        #expect(
            lines.withLock { $0 } == [
                #"the bus is newer than this program: unknown value events.aspect "weather""#,
                "disconnected from the bus: the bus closed the connection", "reconnected to the bus",
            ])
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
