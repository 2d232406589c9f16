// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import Testing
import Varlink

@Suite("What a bridge knows about the memory of a broker")
struct UplinkMemoryTests {
    @Test("a device that has slept publishes only what has changed, but every state after a day or a failed attempt")
    func trust() throws {
        var scene = try UplinkScene(wakeEvery: .seconds(900))
        scene.turnBus()
        func wake(_ scene: inout UplinkScene) -> Int {
            scene.fireTimer()
            scene.answer(isAccepted: true)
            scene.take(.desiredArrived)
            var count = 0
            for _ in 0..<10 {
                scene.turnBus()
                count += scene.wire.filter { $0.publication != .status }.count
                while !scene.wire.isEmpty { scene.deliver() }
                while !scene.acknowledgements.isEmpty { scene.acknowledge() }
            }
            return count
        }
        #expect(wake(&scene) == 2)
        #expect(wake(&scene) == 0)
        scene.now += 86_400_000_000
        #expect(wake(&scene) == 2)
        #expect(wake(&scene) == 0)
        scene.fireTimer()
        scene.answer(isAccepted: false)
        #expect(wake(&scene) == 2)
        #expect(scene.faults.isEmpty)
    }

    @Test("names that are new are saved once, before the first of them is published")
    func newNames() throws {
        var uplink = try Uplink(aspects: ["org.example.*"])
        _ = uplink.start(fraction: 0)
        _ = uplink.take(.timeIsOver, at: 0, fraction: 0)
        _ = uplink.take(.connected(sessionPresent: false), at: 0, fraction: 0)
        let states = (1...100).map { number in
            BusState(aspect: "org.example.n\(number)", generation: 1, changes: .max, changedAt: 1, value: [:])
        }
        let effects = uplink.take(.busStarted(instance: "i", states: states, isResumed: false), at: 0, fraction: 0)
        #expect(effects.filter { $0 == .save(isUrgent: true) }.count == 1)
        #expect(effects.first == .save(isUrgent: true))
        #expect(effects.count > 100)
        #expect(!uplink.take(.busChanged(states), at: 0, fraction: 0).contains(.save(isUrgent: true)))
    }

    @Test("settings of a domain that may not leave the device any more are removed from the broker")
    func formerDomain() throws {
        let saved = UplinkPositions(identity: "a@mqtts://b:8883", instance: "i", generations: ["defaults": 4])
        var uplink = try Uplink(aspects: ["defaults"], domains: ["org.b"], from: saved)
        _ = uplink.start(fraction: 0)
        let state = BusState(
            aspect: "defaults", generation: 4, changes: 0, changedAt: 1,
            value: ["domains": [["domain": "org.a", "keys": ["secret"]]]])
        _ = uplink.take(.busStarted(instance: "i", states: [state], isResumed: true), at: 0, fraction: 0)
        _ = uplink.take(.timeIsOver, at: 0, fraction: 0)
        let payloads = uplink.take(.connected(sessionPresent: true), at: 0, fraction: 0).compactMap { effect in
            if case .publish(.state, _, let payload, _) = effect { payload } else { nil }
        }
        #expect(try payloads.map { try StateMessage($0).value } == [["domains": []]])
    }

    @Test("states that the bus failed to deliver are requested again")
    func failedRead() throws {
        var uplink = try Uplink(aspects: ["folders"])
        _ = uplink.start(fraction: 0)
        _ = uplink.take(.timeIsOver, at: 0, fraction: 0)
        _ = uplink.take(.busStarted(instance: "i", states: [], isResumed: false), at: 0, fraction: 0)
        _ = uplink.take(.connected(sessionPresent: false), at: 0, fraction: 0)
        let event = BusState(aspect: "folders", generation: 2, changes: 1, changedAt: 1, value: [:])
        #expect(uplink.take(.busChanged([event]), at: 0, fraction: 0).contains(.readStates(["folders"])))
        let failed = uplink.take(.statesRead(instance: "", states: []), at: 0, fraction: 0)
        #expect(failed.contains(.readStates(["folders"])))
    }
}
