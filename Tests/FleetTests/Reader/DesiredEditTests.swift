// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleSimulation
import Testing
import Varlink

/// Random lives of programs that set one value at once.
@Suite("Sets of one value at once")
struct DesiredEditTests {
    private static let lives: UInt64 = 3_000
    /// As many publications as a command makes before it gives up.
    private static let publications = 20

    /// Each set is named by its number; the first one ends before the others begin.
    private static func begin(_ random: inout SplitMix64, deletions: Int = 0) throws -> DesiredEditScene {
        var scene = try DesiredEditScene()
        scene.addSetter()
        scene.settle(&random)
        for _ in 0..<Int.random(in: 1...16, using: &random) { scene.addSetter() }
        for _ in 0..<deletions { scene.addSetter(isDeletion: true) }
        return scene
    }

    /// Takes steps in a random order; some setters begin when others have ended.
    private static func live(
        _ scene: inout DesiredEditScene, _ random: inout SplitMix64,
        also other: (inout DesiredEditScene, inout SplitMix64) -> Void = { _, _ in }
    ) {
        for _ in 0..<scene.setters.count * 20 {
            switch Int.random(in: 0..<12, using: &random) {
            case ..<8: _ = scene.step(Int.random(in: scene.setters.indices, using: &random), &random)
            case ..<10: _ = scene.stepDevice()
            case 10: _ = scene.answerBus()
            default: other(&scene, &random)
            }
        }
    }

    private static func positions(_ scene: DesiredEditScene) -> [FleetPosition] {
        scene.setters.compactMap { if case .done(let position?)? = $0.end { position } else { nil } }
    }

    @Test("N sets are N changes, all end with an answer, and the last one in the order of the broker wins, in any case")
    func counted() throws {
        for seed in 1...Self.lives {
            var random = SplitMix64(seed: seed)
            var scene = try Self.begin(&random)
            let before = scene.bus.generation
            Self.live(&scene, &random)
            scene.settle(&random)
            let count = Int64(scene.setters.count)
            let kept = try DesiredMessage(scene.kept)
            let positions = Self.positions(scene)
            let isTrue =
                positions.count == scene.setters.count && kept.generation == count
                && positions.allSatisfy { $0.instance == kept.instance && $0.generation <= count }
                && scene.bus.generation - before == count - 1 && scene.value == kept.value
                && kept.value == scene.last
                && scene.states.taken[DesiredEditScene.name] == kept.position
                && scene.setters.allSatisfy { $0.publications <= Self.publications }
            guard isTrue else {
                Issue.record(
                    "\(scene.text)\nlife \(seed): \(count) sets are \(kept), \(scene.bus.generation - before) changes of \(String(describing: scene.value)), \(scene.setters.map(\.publications))"
                )
                return
            }
        }
    }

    @Test("first sets at once are N changes too")
    func first() throws {
        for seed in 1...Self.lives {
            var random = SplitMix64(seed: seed)
            var scene = try DesiredEditScene()
            for _ in 0..<Int.random(in: 2...8, using: &random) { scene.addSetter() }
            Self.live(&scene, &random)
            scene.settle(&random)
            let kept = try DesiredMessage(scene.kept)
            guard kept.generation == Int64(scene.setters.count), scene.value == kept.value, kept.value == scene.last,
                Self.positions(scene).count == scene.setters.count
            else {
                Issue.record(
                    "\(scene.text)\nlife \(seed): \(scene.setters.count) sets are \(kept), and \(String(describing: scene.value))"
                )
                return
            }
        }
    }

    @Test("a set that is killed, a deletion and a device that comes and goes leave no other state than the broker's")
    func killed() throws {
        for seed in 1...Self.lives {
            var random = SplitMix64(seed: seed)
            var scene = try Self.begin(&random, deletions: Int.random(in: 0...2, using: &random))
            let choices = scene.setters.indices
            Self.live(&scene, &random) { scene, random in
                switch Int.random(in: 0..<3, using: &random) {
                case 0: scene.kill(Int.random(in: choices, using: &random), &random)
                case 1: scene.setConnected(!scene.isConnected)
                default: scene.retry()
                }
            }
            scene.settle(&random)
            let kept = scene.kept.isEmpty ? nil : try DesiredMessage(scene.kept)
            // What was set later, and taken, stays if a set was killed before it could publish it again.
            let isLater = scene.states.taken.values.contains { $0.generation > kept?.generation ?? .max }
            guard scene.value == kept?.value || isLater, scene.setters.allSatisfy({ $0.end != nil }),
                kept?.generation ?? 0 <= Int64(scene.setters.count)
            else {
                Issue.record(
                    "\(scene.text)\nlife \(seed): the broker has \(String(describing: kept)), the device \(String(describing: scene.value))"
                )
                return
            }
        }
    }
}
