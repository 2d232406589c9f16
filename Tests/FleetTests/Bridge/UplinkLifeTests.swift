// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleSimulation
import Testing
import Varlink

/// Random lives of an uplink: changes, losses, refusals, kills and forgetful brokers, compared with a naive reader.
@Suite("Lives of an uplink")
struct UplinkLifeTests {
    private static let lives = 2_000
    private static let steps = 60
    private static let names = ["org.example.a", "org.example.b"]
    private static let changing = ["battery", "orientation", "battery"] + names

    @Test("the newest states are on the broker, and the counts of a reader are exact, whatever happened before")
    func lives() throws {
        for seed in 1...UInt64(Self.lives) {
            var random = SplitMix64(seed: seed)
            var scene = try UplinkScene()
            for _ in 0..<Self.steps { Self.step(&scene, &random) }
            scene.settle()
            // A refused state waits for another connection.
            scene.lose()
            scene.settle()
            let faults = scene.faults + Self.differences(scene)
            guard faults.isEmpty else {
                Issue.record("life \(seed): \(faults.prefix(3))")
                return
            }
        }
    }

    private static func step(_ scene: inout UplinkScene, _ random: inout SplitMix64) {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<22:
            scene.bus.change(changing[Int.random(in: changing.indices, using: &random)])
        case ..<27:
            // The bus remembers a withdrawal until the subscription has seen it.
            scene.bus.withdraw(
                names[Int.random(in: names.indices, using: &random)], isForgotten: scene.subscription == nil)
        case ..<42: scene.turnBus()
        case ..<60: scene.deliver()
        case ..<76: scene.acknowledge()
        case ..<79: scene.refuse()
        case ..<87: scene.answer(isAccepted: Bool.random(using: &random))
        case ..<90: scene.lose()
        case ..<91: scene.forget()
        case ..<92: scene.keep()
        case ..<93: scene.goBack()
        case ..<94: scene.announceSleep(Bool.random(using: &random) ? "preparing" : "awake")
        case ..<95: scene.restart(fromLatest: Bool.random(using: &random))
        case ..<97: scene.restartBus(isNew: Bool.random(using: &random))
        default: scene.fireTimer()
        }
    }

    /// What differs between the bus and the broker.
    private static func differences(_ scene: UplinkScene) -> [String] {
        var found = scene.isDelaying ? ["the sleep of the machine is delayed"] : []
        for (aspect, state) in scene.bus.states where !state.value.isNull {
            let topic = "reveille/v1/\(UplinkScene.device)/state/\(aspect)"
            guard let bytes = scene.retained[topic], let message = try? StateMessage(bytes) else {
                found.append("\(aspect) is missing")
                continue
            }
            if message.value != state.value || message.generation != state.generation
                || message.instance != scene.bus.instance
            {
                found.append("\(aspect) is \(message), not \(state)")
            }
            let counted = (scene.reader.first[aspect] ?? 0) + (scene.reader.sums[aspect] ?? 0)
            if counted != state.generation { found.append("\(aspect) was counted to \(counted)") }
        }
        for (topic, bytes) in scene.retained {
            guard case .state(_, let aspect)? = try? FleetTopic(topic), let message = try? StateMessage(bytes) else {
                continue
            }
            let exists = scene.bus.states[aspect]?.value.isNull == false
            if !exists, !message.value.isNull { found.append("\(aspect) was withdrawn, but the broker has it") }
        }
        let status = scene.retained["reveille/v1/\(UplinkScene.device)/status"].flatMap { try? StatusMessage($0) }
        let listed = scene.bus.states.filter { !$0.value.value.isNull }.keys.sorted()
        if status?.isOnline != true || status?.aspects != listed {
            found.append("the status is \(status.map { "\($0)" } ?? "missing"), not \(listed)")
        }
        return found
    }
}
