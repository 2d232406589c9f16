// SPDX-License-Identifier: Apache-2.0

import ReveilleFleet
import ReveilleFleetCore
import ReveilleMQTT
import ReveilleTesting
import Testing

/// What a new user of the library gets wrong.
@Suite(.timeLimit(.minutes(5)), .enabled(if: MosquittoBroker.isAvailable, "no mosquitto in .build-mosquitto"))
struct FleetConnectTests {
    private func failure(_ body: () async throws -> Fleet) async throws -> FleetError {
        do {
            _ = try await body()
        } catch let error as FleetError {
            return error
        }
        throw Trouble("connected")
    }

    @Test("a broker that does not exist is named") func noBroker() async throws {
        let port = try Loopback.freePort()
        let error = try await failure { try await Fleet.connect(to: "mqtt://127.0.0.1:\(port)") }
        #expect(error.code == .unreachable)
        #expect(error.description.contains("mqtt://127.0.0.1:\(port)"), "\(error)")
    }

    @Test("an invalid address, device or aspect is refused before connecting") func invalidNames() async throws {
        #expect(try await failure { try await Fleet.connect(to: "http://x") }.code == .invalidName)
        #expect(throws: FleetError.self) { try FleetInterest(devices: ["a/b"]) }
        #expect(throws: FleetError.self) { try FleetInterest(aspects: ["battery/#"]) }
    }

    @Test("a reader that the topic rules do not admit is uncertain, and the missing rule is named")
    func missingRule() async throws {
        let broker = try MosquittoBroker(rules: "topic read reveille/v1/+/status\ntopic read reveille/v1/+/state/+\n")
        let events = try await Fleet.connect(to: "\(broker.address())").events()
        let problems = try await FleetScene.untilCaughtUp(events).problems
        #expect(problems.count == 1)
        #expect(problems.first?.description.contains("topic readwrite reveille/v1/reader/+/mark") == true)
    }
}
