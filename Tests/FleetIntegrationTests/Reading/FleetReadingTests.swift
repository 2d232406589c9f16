// SPDX-License-Identifier: Apache-2.0

import ReveilleFleet
import ReveilleFleetCore
import ReveilleMQTT
import ReveilleSystem
import Testing

/// A reader of a fleet with a real broker.
@Suite(.timeLimit(.minutes(10)), .enabled(if: MosquittoBroker.isAvailable, "no mosquitto in .build-mosquitto"))
struct FleetReadingTests {
    let scene: FleetScene

    init() throws {
        scene = try FleetScene()
    }

    @Test("of 20 devices with 5 aspects that changed 3 times while the reader was away, it receives 100 events")
    func twentyDevices() async throws {
        let certificates = try Certificates()
        let readers = try Certificates("readers", beside: certificates)
        let broker = try MosquittoBroker(.example(ExampleFiles(devices: certificates, readers: readers)))
        let devices = (1...20).map { "kiosk-\($0)" }
        let identities = try devices.map { broker.address(try certificates.client($0)) }
        var client = try readers.client("kitchen")
        client.ca = certificates.ca
        let reader = broker.readersAddress(client)
        for (device, endpoint) in zip(devices, identities) {
            try await scene.connect(device, to: endpoint)
            let refusal = try await scene.peer.publish("{}", to: "reveille/v1/other/state/battery")
            #expect(refusal == "not authorized")
            // mosquitto may close a connection after a refusal.
            try await scene.connect(device, to: endpoint)
            try await scene.publishStatus(of: device)
            for aspect in FleetScene.aspects { try await scene.publish(aspect, of: device, generation: 1) }
        }
        let first = try await FleetScene.follow(reader)
        let known = try await FleetScene.untilCaughtUp(first)
        #expect(known.states.count == 100)
        #expect(known.states.allSatisfy { $0.changeCount == nil })
        #expect(known.problems == [])
        let positions = first.mailbox.positions
        for (device, endpoint) in zip(devices, identities) {
            try await scene.connect(device, to: endpoint)
            for generation in Int64(2)...4 {
                for aspect in FleetScene.aspects { try await scene.publish(aspect, of: device, generation: generation) }
            }
        }
        let second = try await FleetScene.follow(reader, from: positions)
        let changed = try await FleetScene.untilCaughtUp(second)
        #expect(changed.states.count == 100)
        #expect(Set(changed.states.map { "\($0.device) \($0.aspect)" }).count == 100)
        #expect(changed.states.allSatisfy { $0.changeCount == 3 && $0.generation == 4 })
        #expect(changed.problems == [])
        let third = try await FleetScene.follow(reader, from: second.mailbox.positions)
        #expect(try await FleetScene.untilCaughtUp(third).states == [])
    }

    @Test("after a restart of the broker, the changes in between are one event") func restart() async throws {
        let broker = try MosquittoBroker(isPersistent: true)
        try await scene.connect("a", to: broker.address())
        try await scene.publishStatus(of: "a", aspects: ["battery"])
        try await scene.publish(of: "a", generation: 1)
        let events = try await FleetScene.follow(broker.address())
        _ = try await FleetScene.untilCaughtUp(events)
        broker.kill()
        guard case .disconnected(let error) = try await events.mailbox.next(isolation: nil) else {
            throw Trouble("not disconnected")
        }
        #expect(error.code == .unreachable)
        try broker.restart()
        try await scene.connect("a", to: broker.address())
        try await scene.publishStatus(of: "a", aspects: ["battery"])
        for generation: Int64 in 2...8 { try await scene.publish(of: "a", generation: generation) }
        var changes: Int64 = 0
        while changes < 7 { changes += try #require(try await FleetScene.nextState(events).changeCount) }
        #expect(changes == 7)
    }

    @Test("a reader that the topic rules do not admit is uncertain, and the missing rule is named")
    func missingRule() async throws {
        let broker = try MosquittoBroker(rules: "topic read reveille/v1/+/status\ntopic read reveille/v1/+/state/+\n")
        let events = try await FleetScene.follow(broker.address())
        let problems = try await FleetScene.untilCaughtUp(events).problems
        #expect(problems.count == 1)
        #expect(problems.first?.description.contains("topic readwrite reveille/v1/reader/+/mark") == true)
    }
}
