// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Varlink

/// Tasks of some processes that begin and end in a random order, compared with a naive model after each step.
final class TaskSimulation {
    static let time: UInt64 = 30_000_000
    private static let limit = 6
    static let user: UInt32 = 1_000
    /// A process without subscriptions, which sets operator holds.
    static let shell: Int32 = 99

    final class Subscription {
        let peer: ScenePeer
        let pid: Int32
        let id: JSON
        var holds: HoldReasons
        var isFrozen = false

        init(_ peer: ScenePeer, _ pid: Int32, _ id: JSON, _ holds: HoldReasons) {
            (self.peer, self.pid, self.id, self.holds) = (peer, pid, id, holds)
        }
    }

    final class Task {
        let holder: ScenePeer
        let name: String
        let subscription: Subscription
        var isWarned = false
        var hasEnded = false
        /// The reply that the holder has not read.
        var unread: TaskState?
        /// Whether the warning or the end waits for the holder.
        var isDue = false

        init(_ holder: ScenePeer, _ name: String, _ subscription: Subscription) {
            (self.holder, self.name, self.subscription) = (holder, name, subscription)
        }
    }

    let scene: BusScene
    private var random: SplitMix64
    private let note: ((String) -> Void)?
    var subscriptions: [Subscription] = []
    var tasks: [Task] = []
    /// The tasks that have ended, and whose holders have not read everything.
    var ended: [Task] = []
    /// The time at which each process went to the background.
    var starts: [Int32: UInt64] = [:]
    private var count = 0

    init(seed: UInt64, note: ((String) -> Void)?) throws {
        random = SplitMix64(seed: seed)
        self.note = note
        scene = try BusScene(lifecycle: "{ tasks: \(Self.limit) }")
    }

    func run(steps: Int) throws {
        for _ in 0..<steps {
            try step()
            settle()
            try check()
        }
        for task in tasks + ended { while try read(task) {} }
    }

    var now: UInt64 { scene.loop.bootClock }

    private func step() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: try subscribe()
        case 2: try unsubscribe()
        case 3..<8: try setState()
        case 8..<12: try begin()
        case 12: end()
        case 13..<15: if let task = (tasks + ended).randomElement(using: &random) { _ = try read(task) }
        case 15..<18: try pass(.milliseconds(Int.random(in: 1...12_000, using: &random)))
        case 18: try suspend(.seconds(Int.random(in: 1...60, using: &random)))
        default: freeze()
        }
    }

    // MARK: - Steps

    private func subscribe() throws {
        let pid = Int32.random(in: 7...9, using: &random)
        guard subscriptions.count(where: { $0.pid == pid }) < 3 else { return }
        let peer = scene.connect(uid: Self.user, pid: pid)
        let isHeld = Bool.random(using: &random)
        note?("process \(pid) subscribes \(isHeld ? "in the background" : "")")
        // Names have no sensors, so no call takes time.
        let reply = try peer.call(
            "Subscribe", ["aspects": ["org.example.a"], "state": isHeld ? "background" : "foreground"], more: true)
        guard let id = reply.parameters["subscription"] else { throw Broken("Subscribe: \(reply)") }
        subscriptions.append(Subscription(peer, pid, id, isHeld ? .app : []))
    }

    private func unsubscribe() throws {
        guard let index = subscriptions.indices.randomElement(using: &random) else { return }
        let subscription = subscriptions.remove(at: index)
        note?("process \(subscription.pid) ends subscription \(subscription.id)")
        subscription.peer.stream.close()
        scene.turn()
        for task in tasks where task.subscription === subscription { over(task) }
    }

    private func setState() throws {
        guard let subscription = subscriptions.randomElement(using: &random) else { return }
        let isOwn = Bool.random(using: &random)
        let state = Bool.random(using: &random) ? "background" : "foreground"
        note?("\(subscription.id) is sent to the \(state) by \(isOwn ? "its own process" : "the shell")")
        let peer = scene.connect(uid: Self.user, pid: isOwn ? subscription.pid : Self.shell)
        let reply = try peer.call("SetState", ["subscription": subscription.id, "state": .string(state)])
        guard reply.error == nil else { throw Broken("SetState: \(reply)") }
        peer.stream.close()
        scene.turn()
        let reason: HoldReasons = isOwn ? .app : .operator
        if state == "background" { subscription.holds.insert(reason) } else { subscription.holds.remove(reason) }
    }

    private func freeze() {
        guard let subscription = subscriptions.randomElement(using: &random) else { return }
        subscription.isFrozen.toggle()
        note?("\(subscription.id) is \(subscription.isFrozen ? "frozen" : "thawed")")
        scene.bus.setFrozen(subscription.isFrozen, subscription.peer.stream)
        scene.turn()
    }

    private func begin() throws {
        guard let subscription = subscriptions.randomElement(using: &random) else { return }
        count += 1
        let task = Task(scene.connect(uid: Self.user, pid: subscription.pid), "task \(count)", subscription)
        note?("\(subscription.id) begins \(task.name)")
        let isRefused = tasks.count == Self.limit
        let state = state(of: subscription.pid)
        let parameters: JSONObject = ["subscription": subscription.id, "name": .string(task.name)]
        guard isRefused || Bool.random(using: &random) else {
            task.holder.send("BeginTask", parameters, more: true)
            scene.turn()
            task.unread = state
            return add(task, state)
        }
        let reply = try task.holder.call("BeginTask", parameters, more: true)
        guard !isRefused else {
            guard reply.parameters["quota"] == "tasks" else { throw Broken("\(tasks.count) tasks, and \(reply)") }
            return task.holder.stream.close()
        }
        try expect(state, reply, of: task)
        add(task, state)
    }

    private func add(_ task: Task, _ state: TaskState) {
        task.isWarned = state.isExpiring
        task.hasEnded = state.hasEnded
        if state.hasEnded { ended.append(task) } else { tasks.append(task) }
    }

    private func end() {
        guard let index = tasks.indices.randomElement(using: &random) else { return }
        note?("\(tasks[index].name) ends")
        tasks.remove(at: index).holder.stream.close()
        scene.turn()
    }

    /// Lets time pass; what is due happens at its moment.
    private func pass(_ duration: Duration) throws {
        note?("\(duration) pass")
        let end = now + UInt64(duration / .microseconds(1))
        while now < end {
            let moments = tasks.compactMap { task in
                starts[task.subscription.pid].map { $0 + Self.time - (task.isWarned ? 0 : TaskTable.warning) }
            }
            try scene.bus.pass(.microseconds(Int64(min(moments.min() ?? end, end) - now)))
            expire()
        }
    }

    /// Suspends the machine: everything that became due is due at once, and a holder may read before the bus runs.
    private func suspend(_ duration: Duration) throws {
        let reader = Bool.random(using: &random) ? (tasks + ended).randomElement(using: &random) : nil
        note?("the machine is suspended for \(duration)\(reader.map { ", and \($0.name) reads at once" } ?? "")")
        scene.loop.advance(duration)
        _ = try reader?.holder.nextAvailable()
        scene.turn()
        expire()
        if let reader { _ = try read(reader) }
    }
}
