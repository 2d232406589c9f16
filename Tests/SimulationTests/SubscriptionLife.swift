// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Varlink

/// Random lives of subscriptions, of callers that follow them, and of publishers that ask who needs their names.
///
/// What followers know is compared with a new list, and what publishers know with a naive search of all names that there
/// could be.
final class SubscriptionLife {
    private static let aspects: [Aspect] = ["org.a.x", "org.a.y", "org.b.x", "com.c", "org.a.*", "org.*", "com.*"]
    /// The names, with one below each pattern that nobody names.
    private static let universe: [Aspect] =
        aspects.filter { !$0.isPattern } + ["org.a.other", "org.other", "com.other"]
    /// The process that sets the holds of others.
    private static let shell: Int32 = 5

    private final class Program {
        let pid: Int32
        let aspects: [Aspect]
        let policies: [Aspect: String]
        let subscription: SceneSubscription
        /// Whether it reads at once; others have no policies.
        let isPrompt: Bool
        var holds: HoldReasons = []
        var isFrozen = false
        var lateness = Lateness()
        var tasks: [ScenePeer] = []

        init(
            _ pid: Int32, _ aspects: [Aspect], _ policies: [Aspect: String], _ subscription: SceneSubscription,
            isPrompt: Bool
        ) {
            (self.pid, self.aspects, self.policies) = (pid, aspects, policies)
            (self.subscription, self.isPrompt) = (subscription, isPrompt)
        }

        /// Whether it is in a cgroup of its own, which the bus can freeze.
        var canBeSuspended: Bool { isPrompt && policies.isEmpty }

        func covers(_ name: Aspect) -> Bool { aspects.contains { $0 == name || $0.matches(name) } }

        /// Returns whether it needs a name, unless it is late.
        func needs(_ name: Aspect) -> Bool {
            guard !isFrozen, covers(name) else { return false }
            let patterns = policies.keys.filter { $0.matches(name) }.sorted { $0.name.count > $1.name.count }
            let policy = policies[name] ?? patterns.first.flatMap { policies[$0] } ?? "coalesce"
            return holds.isEmpty || policy == "immediate" || policy == "hold"
        }
    }

    private let life: SuspensionScene
    private let choices: Choices
    private let note: ((String) -> Void)?
    private var programs: [Program] = []
    /// The callers that follow, and the publishers that ask; the first of each reads at once.
    private var followers: [FollowerView] = []
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
        follow()
        observe()
    }

    func run(_ steps: Int) throws {
        for _ in 0..<steps {
            try step()
            scene.turn()
            for program in programs where program.isPrompt { while try !program.subscription.events().isEmpty {} }
            for program in programs {
                let isHeld = !program.holds.isEmpty || program.isFrozen
                program.lateness.settle(at: scene.loop.bootClock, isHeld: isHeld)
            }
            try followers[0].readAll()
            try observers[0].readAll()
        }
        try check()
        for program in programs { program.subscription.peer.stream.close() }
        programs = []
        try check()
    }

    private func step() throws {
        switch choices.number(below: 24) {
        case 0..<3: if programs.count < 8 { try subscribe() }
        case 3: close()
        case 4..<9: try setState()
        case 9, 10: freeze()
        case 11: try changeTasks()
        case 12..<15: try publish()
        case 15: try read()
        case 16: if followers.count < 4 { follow() } else if observers.count < 4 { observe() }
        case 17: if observers.count < 4 { observe() }
        case 18: leave()
        case 19: _ = try choices.one(of: followers).read()
        case 20: _ = try choices.one(of: observers).read()
        case 21, 22: try scene.bus.pass(choices.one(of: [.milliseconds(1), .seconds(2), .seconds(5), .seconds(40)]))
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
        var aspects = isPrompt ? some() : ["org.a.x"] + some().filter { $0 != "org.a.x" }
        var policies: [Aspect: String] = [:]
        if isPrompt, choices.happens(onceIn: 2) {
            for aspect in Self.aspects where choices.happens(onceIn: 3) {
                guard aspects.contains(where: { $0 == aspect || $0.matches(aspect) }) else { continue }
                policies[aspect] = choices.one(of: ["coalesce", "drop", "immediate", "hold"])
            }
        }
        let pid = Int32(count)
        if isPrompt, policies.isEmpty {
            life.programs.start(pid, cgroup: "/app\(pid)")
            aspects.append(.lifecycle)
        }
        let isHeld = choices.happens(onceIn: 2)
        let parameters: JSONObject = [
            "policies": .array(
                policies.sorted { $0.key < $1.key }.map {
                    ["aspect": .string($0.key.name), "background": .string($0.value)]
                }), "state": isHeld ? "background" : "foreground",
        ]
        let peer = scene.connect(uid: 1_000, pid: pid)
        let start = try peer.subscribe(to: aspects.map(\.name), parameters)
        note?("\(start.subscription) begins: \(aspects), \(policies), \(isHeld ? "held" : "not held")")
        let subscription = SceneSubscription(peer: peer, id: start.subscription)
        programs.append(Program(pid, aspects, policies, subscription, isPrompt: isPrompt))
        if isHeld { programs.last?.holds = .app }
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
        let states = ["foreground", "background", "inactive"] + (program.canBeSuspended ? ["suspended"] : [])
        let state = choices.one(of: states)
        let pid = choices.happens(onceIn: 2) ? Self.shell : program.pid
        note?("\(program.subscription.id) is sent to \(state) by \(pid)")
        let peer = scene.connect(pid: pid)
        life.ask(state, of: program.subscription, by: peer)
        let reason: HoldReasons = pid == Self.shell ? .operator : .app
        if state == "background" || state == "suspended" {
            program.holds.insert(reason)
        } else {
            program.holds.remove(reason)
        }
        // The answer to a suspension may take long.
        if try peer.next() != nil { peer.stream.close() }
    }

    private func freeze() {
        guard let program = programs.first(where: { !$0.canBeSuspended }) else { return }
        program.isFrozen.toggle()
        note?("\(program.subscription.id) is \(program.isFrozen ? "frozen" : "thawed")")
        scene.bus.setFrozen(program.isFrozen, program.subscription.peer.stream)
    }

    private func changeTasks() throws {
        guard !programs.isEmpty else { return }
        let program = choices.one(of: programs)
        note?("\(program.subscription.id) has another task, or one less")
        if choices.happens(onceIn: 2), let task = program.tasks.popLast() { return task.stream.close() }
        program.tasks.append(try life.begin("work", of: program.subscription, pid: program.pid).holder)
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

    // MARK: - Followers and publishers

    private func follow() {
        note?("another follower")
        followers.append(FollowerView(scene.connect(uid: 1_001, pid: 9)))
    }

    private func observe() {
        let aspects = some()
        note?("a publisher asks about \(aspects)")
        observers.append(DemandView(scene.connect(uid: 1_001, pid: 9), of: aspects))
    }

    private func leave() {
        note?("a follower and a publisher leave")
        if followers.count > 1 { followers.removeLast().peer.stream.close() }
        if observers.count > 1 { observers.removeLast().peer.stream.close() }
    }

    private func check() throws {
        note?("check")
        for follower in followers { try follower.readAll() }
        let late = programs.filter { $0.lateness.isLate(at: scene.loop.bootClock) }
        let list = try [SubscriptionInfo](life.shell.call("ListSubscriptions").parameters, noting: UnknownWords())
        let expected = FollowerView.shown(list, unread: Set(late.map(\.subscription.id)))
        for (index, follower) in followers.enumerated() where follower.shown != expected {
            throw Broken("follower \(index) knows \(follower.shown), and the list is \(expected)")
        }
        let counting = programs.filter { program in !late.contains { $0 === program } }
        let needed = Self.universe.filter { name in counting.contains { $0.needs(name) } }
        for (index, observer) in observers.enumerated() {
            try observer.readAll()
            for aspect in observer.aspects {
                let isNeeded = needed.contains { aspect == $0 || aspect.matches($0) }
                guard observer.needed[aspect] == isNeeded else {
                    throw Broken("publisher \(index) knows that \(aspect) is needed: \(!isNeeded); needed: \(needed)")
                }
            }
        }
    }
}
