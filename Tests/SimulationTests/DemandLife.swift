// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Varlink

/// Random lives of subscriptions, and of publishers that ask who needs their names; what each knows is compared with a
/// naive search of all names that there could be.
final class DemandLife {
    private static let aspects: [Aspect] = ["org.a.x", "org.a.y", "org.b.x", "com.c", "org.a.*", "org.*", "com.*"]
    /// The names, with one below each pattern that nobody names.
    private static let universe: [Aspect] =
        aspects.filter { !$0.isPattern } + ["org.a.other", "org.other", "com.other"]

    private final class Program {
        let pid: Int32
        let aspects: [Aspect]
        let policies: [Aspect: String]
        let subscription: SceneSubscription
        /// Whether it reads at once; others have no policies.
        let isPrompt: Bool
        var isHeld = false
        var isFrozen = false
        var lateness = Lateness()

        init(
            _ pid: Int32, _ aspects: [Aspect], _ policies: [Aspect: String], _ subscription: SceneSubscription,
            isPrompt: Bool
        ) {
            (self.pid, self.aspects, self.policies) = (pid, aspects, policies)
            (self.subscription, self.isPrompt) = (subscription, isPrompt)
        }

        func covers(_ name: Aspect) -> Bool { aspects.contains { $0 == name || $0.matches(name) } }

        /// Returns whether it needs a name, unless it is late.
        func needs(_ name: Aspect) -> Bool {
            guard !isFrozen, covers(name) else { return false }
            let patterns = policies.keys.filter { $0.matches(name) }.sorted { $0.name.count > $1.name.count }
            let policy = policies[name] ?? patterns.first.flatMap { policies[$0] } ?? "coalesce"
            return !isHeld || policy == "immediate" || policy == "hold"
        }
    }

    private let life: SuspensionScene
    private let choices: Choices
    private let note: ((String) -> Void)?
    private var programs: [Program] = []
    private var observers: [DemandView] = []
    private var count: Int64 = 20
    private var scene: BusScene { life.scene }

    init(seed: UInt64, note: ((String) -> Void)?) throws {
        life = try SuspensionScene()
        choices = Choices(seed: seed)
        self.note = note
        // A connection without a call would be closed.
        try life.shell.call("ListSubscriptions")
        for _ in 0..<2 { try subscribe() }
        try observe()
    }

    func run(_ steps: Int) throws {
        for _ in 0..<steps {
            try step()
            scene.turn()
            for program in programs where program.isPrompt { while try !program.subscription.events().isEmpty {} }
            for program in programs {
                program.lateness.settle(at: scene.loop.bootClock, isHeld: program.isHeld || program.isFrozen)
            }
            try observers[0].readAll()
        }
        try check()
        for program in programs { program.subscription.peer.stream.close() }
        programs = []
        try check()
    }

    private func step() throws {
        switch choices.number(below: 20) {
        case 0..<3: if programs.count < 8 { try subscribe() }
        case 3, 4: close()
        case 5..<9: try setState()
        case 9, 10: freeze()
        case 11..<13: try publish()
        case 13: try read()
        case 14: if observers.count < 4 { try observe() }
        case 15: leave()
        case 16: _ = try choices.one(of: observers).read()
        case 17, 18: try scene.bus.pass(choices.one(of: [.milliseconds(1), .seconds(2), .seconds(5), .seconds(40)]))
        default: try check()
        }
    }

    private func some() -> [Aspect] {
        let chosen = Self.aspects.filter { _ in choices.happens(onceIn: 3) }
        return chosen.isEmpty ? [choices.one(of: Self.aspects)] : chosen
    }

    // MARK: - Subscriptions

    private func subscribe() throws {
        count += 1
        let isPrompt = choices.happens(onceIn: 2)
        let aspects = isPrompt ? some() : ["org.a.x"] + some().filter { $0 != "org.a.x" }
        var policies: [Aspect: String] = [:]
        if isPrompt {
            for aspect in Self.aspects where choices.happens(onceIn: 3) {
                guard aspects.contains(where: { $0 == aspect || $0.matches(aspect) }) else { continue }
                policies[aspect] = choices.one(of: ["coalesce", "drop", "immediate", "hold"])
            }
        }
        let parameters: JSONObject = [
            "policies": .array(
                policies.sorted { $0.key < $1.key }.map {
                    ["aspect": .string($0.key.name), "background": .string($0.value)]
                })
        ]
        let peer = scene.connect(uid: 1_000, pid: Int32(count))
        let start = try peer.subscribe(to: aspects.map(\.name), parameters)
        note?("\(start.subscription) begins: \(aspects), \(policies)")
        programs.append(
            Program(
                Int32(count), aspects, policies, SceneSubscription(peer: peer, id: start.subscription),
                isPrompt: isPrompt))
    }

    private func close() {
        guard !programs.isEmpty else { return }
        let program = programs.remove(at: choices.number(below: programs.count))
        note?("\(program.subscription.id) ends")
        program.subscription.peer.stream.close()
    }

    private func setState() throws {
        guard !programs.isEmpty else { return }
        let program = choices.one(of: programs)
        program.isHeld = choices.happens(onceIn: 2)
        note?("\(program.subscription.id) is \(program.isHeld ? "held" : "not held")")
        let shell = scene.connect(pid: program.pid)
        defer { shell.stream.close() }
        _ = try life.set(program.isHeld ? "background" : "foreground", of: program.subscription, by: shell)
    }

    private func freeze() {
        guard !programs.isEmpty else { return }
        let program = choices.one(of: programs)
        program.isFrozen.toggle()
        note?("\(program.subscription.id) is \(program.isFrozen ? "frozen" : "thawed")")
        scene.bus.setFrozen(program.isFrozen, program.subscription.peer.stream)
    }

    private func publish() throws {
        count += 1
        note?("a change")
        for program in programs {
            program.lateness.changeCame(hasUnread: !program.subscription.peer.stream.toPeer.isEmpty)
        }
        try scene.connect(uid: 0).call("Publish", ["aspect": "org.a.x", "value": ["n": .integer(count)]])
    }

    private func read() throws {
        guard !programs.isEmpty else { return }
        let program = choices.one(of: programs)
        note?("\(program.subscription.id) reads")
        while try !program.subscription.events().isEmpty {}
        program.lateness.read()
    }

    // MARK: - Publishers

    private func observe() throws {
        let aspects = some()
        note?("a publisher asks about \(aspects)")
        observers.append(DemandView(scene.connect(uid: 1_001, pid: 9), of: aspects))
    }

    private func leave() {
        guard observers.count > 1 else { return }
        note?("a publisher leaves")
        observers.remove(at: 1 + choices.number(below: observers.count - 1)).peer.stream.close()
    }

    private func check() throws {
        note?("check")
        let counting = programs.filter { !$0.lateness.isLate(at: scene.loop.bootClock) }
        let needed = Self.universe.filter { name in counting.contains { $0.needs(name) } }
        for (index, observer) in observers.enumerated() {
            try observer.readAll()
            for aspect in observer.aspects {
                let expected = needed.contains { aspect == $0 || aspect.matches($0) }
                guard observer.needed[aspect] == expected else {
                    throw Broken("publisher \(index) knows that \(aspect) is needed: \(!expected); needed: \(needed)")
                }
            }
        }
    }
}
