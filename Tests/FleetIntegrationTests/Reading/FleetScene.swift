// SPDX-License-Identifier: Apache-2.0

import ReveilleFleet
import ReveilleFleetCore
import ReveilleMQTT
import ReveilleSystem
import Testing
import Varlink

/// Devices that publish to a broker, and what a reader takes.
struct FleetScene {
    static let aspects = ["battery", "orientation", "proximity", "display", "org.example.mode"]
    static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    let peer: Peer

    init() throws {
        peer = try Peer()
    }

    func connect(_ device: String, to endpoint: FleetBroker) async throws {
        try await peer.connect(MQTTConnection.Options(broker: endpoint, clientID: device))
    }

    func publishStatus(of device: String, aspects: [String] = aspects, isOnline: Bool = true) async throws {
        let status = StatusMessage(isOnline: isOnline, instance: "aa", aspects: aspects, version: "1")
        let refusal = try await peer.publish(
            String(decoding: status.bytes, as: UTF8.self), to: "reveille/v1/\(device)/status",
            expiry: StatusMessage.lease)
        #expect(refusal == nil)
    }

    func publish(
        _ aspect: String = "battery", of device: String, generation: Int64, instance: String = "aa", padding: Int = 0
    ) async throws {
        let state = StateMessage(
            instance: instance, generation: generation, changes: min(1, generation),
            changedAt: 1_790_000_000_000_000 + generation,
            value: .object(["number": .integer(generation), "text": .string(String(repeating: "x", count: padding))]))
        let refusal = try await peer.publish(
            String(decoding: state.bytes, as: UTF8.self), to: "reveille/v1/\(device)/state/\(aspect)")
        #expect(refusal == nil)
    }

    static func follow(_ broker: FleetBroker, from positions: String? = nil) async throws -> FleetFollower {
        let ledger = try positions.map { try Ledger(positions: $0) } ?? Ledger()
        let fleet = try FleetFollower(broker, into: FleetMailbox(resumingFrom: ledger))
        await fleet.start()
        return fleet
    }

    static func untilCaughtUp(_ fleet: FleetFollower) async throws -> [FleetEvent] {
        var taken: [FleetEvent] = []
        while let event = try await fleet.mailbox.next(isolation: nil) {
            if event == .caughtUp { return taken }
            taken.append(event)
        }
        throw Trouble("the events ended")
    }

    static func nextState(_ fleet: FleetFollower) async throws -> DeviceEvent {
        while let event = try await fleet.mailbox.next(isolation: nil) {
            if case .state(let state) = event { return state }
        }
        throw Trouble("the events ended")
    }
}

extension [FleetEvent] {
    var states: [DeviceEvent] { compactMap { if case .state(let state) = $0 { state } else { nil } } }
    var problems: [FleetProblem] { compactMap { if case .problem(let problem) = $0 { problem } else { nil } } }
}
