// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Varlink

/// Random lives of subscriptions, and of callers that follow them; what each knows is compared with a new list.
final class FollowerLife {
    private final class Program {
        let pid: Int32
        let subscription: SceneSubscription
        /// Whether it reads at once, and can be suspended; others are only held by themselves.
        let isPrompt: Bool
        var isHeld: Bool
        var isFrozen = false
        var lateness = Lateness()
        var tasks: [ScenePeer] = []

        init(_ pid: Int32, _ subscription: SceneSubscription, isPrompt: Bool, isHeld: Bool) {
            (self.pid, self.subscription, self.isPrompt, self.isHeld) = (pid, subscription, isPrompt, isHeld)
        }

        var hasUnread: Bool { !subscription.peer.stream.toPeer.isEmpty }
    }

    private let life: SuspensionScene
    private let choices: Choices
    private let note: ((String) -> Void)?
    private var programs: [Program] = []
    /// The callers that follow, of which the first reads at once.
    private var followers: [FollowerView] = []
    private var count: Int64 = 20
    private var scene: BusScene { life.scene }

    init(seed: UInt64, note: ((String) -> Void)?) throws {
        life = try SuspensionScene()
        choices = Choices(seed: seed)
        self.note = note
        // A connection without a call would be closed.
        try life.shell.call("ListSubscriptions")
        for _ in 0..<2 { try subscribe() }
        try follow()
    }

    func run(_ steps: Int) throws {
        for _ in 0..<steps {
            try step()
            scene.turn()
            for program in programs where program.isPrompt { while try !program.subscription.events().isEmpty {} }
            try followers[0].readAll()
            settle()
        }
        try check()
        for program in programs { program.subscription.peer.stream.close() }
        programs = []
        try check()
    }

    private func step() throws {
        switch choices.number(below: 20) {
        case 0, 1: if programs.count < 8 { try subscribe() }
        case 2: try close()
        case 3..<7: try setState()
        case 7: freeze()
        case 8, 9: try changeTasks()
        case 10..<13: try publish()
        case 13: try read()
        case 14: if followers.count < 4 { try follow() }
        case 15: leave()
        case 16, 17: _ = try choices.one(of: followers).read()
        case 18: try scene.bus.pass(choices.one(of: [.milliseconds(1), .seconds(2), .seconds(5), .seconds(40)]))
        default: try check()
        }
    }

    // MARK: - Subscriptions

    private func subscribe() throws {
        count += 1
        let (pid, isPrompt) = (Int32(count), choices.happens(onceIn: 2))
        let state = choices.one(of: ["foreground", "background"])
        if isPrompt { life.programs.start(pid, cgroup: "/app\(pid)") }
        let aspects = isPrompt ? ["lifecycle", "org.example.a"] : ["org.example.*"]
        let subscription = try life.subscribe(pid, aspects: aspects, state: state)
        note?("\(subscription.id) begins, \(state) \(isPrompt)")
        programs.append(Program(pid, subscription, isPrompt: isPrompt, isHeld: state == "background"))
    }

    private func close() throws {
        guard !programs.isEmpty else { return }
        let program = programs.remove(at: choices.number(below: programs.count))
        note?("\(program.subscription.id) ends")
        program.subscription.peer.stream.close()
    }

    private func setState() throws {
        guard !programs.isEmpty else { return }
        let program = choices.one(of: programs)
        let states = ["foreground", "background"] + (program.isPrompt ? ["inactive", "suspended"] : [])
        let state = choices.one(of: states)
        let pid = program.isPrompt && choices.happens(onceIn: 2) ? 5 : program.pid
        note?("\(program.subscription.id) is sent to \(state) by \(pid)")
        // The answer may take long.
        life.ask(state, of: program.subscription, by: scene.connect(pid: pid))
        program.isHeld = state == "background"
    }

    private func freeze() {
        guard let program = programs.first(where: { !$0.isPrompt }) else { return }
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
        for program in programs { program.lateness.changeCame(hasUnread: program.hasUnread) }
        try scene.connect(uid: 0).call("Publish", ["aspect": "org.example.a", "value": ["n": .integer(count)]])
    }

    private func read() throws {
        guard !programs.isEmpty else { return }
        let program = choices.one(of: programs)
        note?("\(program.subscription.id) reads")
        _ = try program.subscription.events()
        program.lateness.read()
    }

    private func settle() {
        for program in programs where !program.isPrompt {
            program.lateness.settle(at: scene.loop.bootClock, isHeld: program.isHeld || program.isFrozen)
        }
    }

    // MARK: - Followers

    private func follow() throws {
        note?("another follower")
        followers.append(FollowerView(scene.connect(uid: 1_001, pid: 9)))
    }

    private func leave() {
        guard followers.count > 1 else { return }
        note?("a follower leaves")
        followers.remove(at: 1 + choices.number(below: followers.count - 1)).peer.stream.close()
    }

    /// Lets all followers read, and compares what they know with a new list.
    private func check() throws {
        note?("check")
        for follower in followers { try follower.readAll() }
        let late = programs.filter { $0.lateness.isLate(at: scene.loop.bootClock) }
        let list = try [SubscriptionInfo](life.shell.call("ListSubscriptions").parameters, noting: UnknownWords())
        let expected = FollowerView.shown(list, unread: Set(late.map(\.subscription.id)))
        for (index, follower) in followers.enumerated() where follower.shown != expected {
            throw Broken("follower \(index) knows \(follower.shown), and the list is \(expected)")
        }
    }
}
