// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleetCore
import ReveilleMQTT
import Testing

@Suite("A connection to a broker that is silent, or closes it", .timeLimit(.minutes(5)))
struct SilentBrokerTests {
    /// The beginning of a message of 100 bytes.
    private static let beginning: [UInt8] = [0x30, 100, 0, 1, 0x61]

    private let peer: Peer
    private let broker: FalseBroker

    init() throws {
        peer = try Peer()
        broker = try FalseBroker()
    }

    @Test("a host that does not answer blocks nothing and ends at the deadline") func blackHole() async throws {
        let hole = try LoopbackListener(queue: 0)
        let waiting = hole.fillQueue()
        defer { waiting.forEach { close($0) } }
        var options = broker.options()
        options.broker = FleetBroker(port: hole.port)
        let error = try await peer.failure(options, patience: .milliseconds(300))
        #expect(error.kind == .unreachable)
        #expect(error.description == "connecting to \(options.broker): the broker did not answer in time")
    }

    @Test(
        "a peer that accepts a connection and is silent ends at the deadline, with TLS too", arguments: [false, true])
    func silence(hasTLS: Bool) async throws {
        let options = broker.options(hasTLS ? TLSFiles() : nil)
        try await peer.open(options, patience: .milliseconds(300))
        try broker.accept()
        let error = try await peer.end()
        #expect(error.kind == .unreachable)
        #expect(error.description == "connecting to \(options.broker): the broker did not answer in time")
        #expect(broker.isLeft())
    }

    @Test(
        "a broker that is silent after its acceptance, or within a packet, is asked and lost",
        arguments: [[], beginning])
    func silenceAfterAcceptance(bytes: [UInt8]) async throws {
        try await peer.open(broker.options())
        try broker.accept()
        // The broker determines the keep-alive: a second, which is the shortest.
        broker.send([0x20, 6, 0, 0, 3, 0x13, 0, 1] + bytes)
        let error = try await peer.end()
        #expect(error.kind == .lost)
        // The second reason occurs if the thread had no turn for longer.
        let reasons = ["the broker did not answer a ping", "this machine has slept for longer than the broker waits"]
        #expect(reasons.map { "connection to \(broker.options().broker): \($0)" }.contains(error.description))
        #expect(try broker.packet().type == 0x10)
        #expect(try broker.packet().type == 0xC0, "a PINGREQ")
        #expect(broker.isLeft())
    }

    @Test("a broker that answers pings but no request is lost", arguments: ["subscription", "publication"])
    func unanswered(request: String) async throws {
        var options = broker.options()
        options.answerPatience = .milliseconds(300)
        let isSubscription = request == "subscription"
        try await peer.open(options) { connection, event in
            guard case .connected = event else { return }
            if isSubscription {
                connection?.subscribe(to: ["a"])
            } else {
                connection?.publish([1], to: "a", retain: false)
            }
        }
        // A keep-alive of 0: the broker does not even expect pings.
        try broker.welcome([0x20, 6, 0, 0, 3, 0x13, 0, 0], until: isSubscription ? FalseBroker.subscribe : 0x32)
        broker.send([0xD0, 0])
        let error = try await peer.end()
        #expect(error.kind == .lost)
        #expect(
            error.description
                == "connection to \(broker.options().broker): the broker did not answer a request in time")
        #expect(broker.isLeft())
    }

    /// When a broker closes the connection, after what it has sent.
    enum Stage: String, CaseIterable {
        case accepted, asked, withinAcceptance, welcomed, withinMessage

        var bytes: [UInt8] {
            switch self {
            case .accepted, .asked: []
            case .withinAcceptance: [0x20, 3, 0]
            case .welcomed: FalseBroker.welcome
            case .withinMessage: FalseBroker.welcome + SilentBrokerTests.beginning
            }
        }
    }

    @Test("a broker that closes the connection at any stage ends it", arguments: Stage.allCases, [false, true])
    func closing(stage: Stage, isReset: Bool) async throws {
        try await peer.open(broker.options())
        try broker.accept()
        if stage != .accepted { _ = try broker.packet() }
        broker.send(stage.bytes)
        let isWelcome = stage == .welcomed || stage == .withinMessage
        if isWelcome { try await expectConnected() }
        broker.end(withReset: isReset)
        let error = try await peer.end()
        let action = "\(isWelcome ? "connection" : "connecting") to \(broker.options().broker): "
        let reasons = ["the broker closed the connection", "Connection reset by peer"]
        #expect(reasons.map { action + $0 }.contains(error.description))
        #expect(error.kind == (isWelcome ? .lost : .unreachable))
    }

    private func expectConnected() async throws {
        let isKnown = try await peer.next("an acceptance") { event in
            if case .connected(let sessionPresent) = event { sessionPresent } else { nil }
        }
        #expect(!isKnown)
    }

    @Test("a broker that closes while it is answered is lost") func closedPipe() async throws {
        try await peer.open(broker.options())
        try broker.accept()
        _ = try broker.packet()
        // Each message is acknowledged, although nobody reads that.
        let messages = (1...8).flatMap { [0x32, 6, 0, 1, 0x61, 0, $0, 0] as [UInt8] }
        broker.send(FalseBroker.welcome + messages)
        broker.end()
        let error = try await peer.end()
        #expect(error.kind == .lost)
        #expect(error.description == "connection to \(broker.options().broker): the broker closed the connection")
    }
}
