// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleSystem
import Varlink

/// A random life of a machine that sleeps: announced or not, with announcements that come twice, late or not at all.
///
/// One subscriber reads at once, and what it has read is what the others must learn when they wake.
final class SleepLife {
    /// How long the lock may delay a sleep.
    private static let longestDelay: Duration = .milliseconds(4_500)
    /// How late the timers of the bus may be.
    private static let lateness: Duration = .milliseconds(60)

    private final class Sleeper {
        let subscription: SceneSubscription
        let pid: Int32
        /// The changes that the reader had seen when this subscriber went to the background.
        var seen: Int

        init(_ subscription: SceneSubscription, pid: Int32, seen: Int) {
            (self.subscription, self.pid, self.seen) = (subscription, pid, seen)
        }
    }

    private let life: SuspensionScene
    private let choices: Choices
    private let note: ((String) -> Void)?
    private let reader: SceneSubscription
    private var last = Sleep(state: .awake)
    private var changes = 0
    private var sleepers: [Sleeper] = []
    private var tasks: [ScenePeer] = []
    private var scene: BusScene { life.scene }
    private var machine: SimulatedMachine { scene.bus.machine }

    init(seed: UInt64, note: ((String) -> Void)?) throws {
        life = try SuspensionScene()
        choices = Choices(seed: seed)
        self.note = note
        reader = try life.subscribe(20, aspects: ["sleep"])
        for pid in [Int32(21), 22] {
            let subscription = try life.subscribe(pid, aspects: ["sleep"], state: "background")
            sleepers.append(Sleeper(subscription, pid: pid, seen: 0))
        }
    }

    func run(_ steps: Int) throws {
        for _ in 0..<steps { try step() }
        for sleeper in sleepers { try wake(sleeper) }
    }

    private func step() throws {
        switch choices.number(below: 10) {
        case 0..<4: try sleepAnnounced()
        case 4: try sleepUnannounced()
        case 5: try changeTasks()
        case 6, 7: try wake(choices.one(of: sleepers))
        case 8: try loseManager()
        default: try scene.bus.pass(.seconds(choices.number(below: 7)))
        }
        try read()
        let isWanted = machine.isManaged && !machine.isPreparing
        guard machine.isLocked == isWanted else { throw Broken("the lock is \(machine.isLocked) between sleeps") }
    }

    // MARK: - Sleeps

    private func announce(_ isPreparing: Bool) {
        note?("announced: \(isPreparing)")
        machine.isPreparing = isPreparing
        for _ in 0..<(choices.happens(onceIn: 4) ? 2 : 1) { machine.announce(isPreparing) }
        scene.turn()
    }

    private func sleepAnnounced() throws {
        announce(true)
        try read()
        guard last.state == .preparing else { throw Broken("the reader learned of no sleep: \(last)") }
        if tasks.isEmpty {
            try scene.bus.pass(.milliseconds(490))
            guard machine.isLocked else { throw Broken("nobody had time to begin a task") }
            try scene.bus.pass(.milliseconds(10) + Self.lateness)
        } else {
            try scene.bus.pass(Self.longestDelay + Self.lateness)
        }
        guard !machine.isLocked else { throw Broken("the lock stands too long, with \(tasks.count) tasks") }
        let length = choices.happens(onceIn: 4) ? nil : try doze()
        if length != nil, choices.happens(onceIn: 2) { resume() }
        if choices.happens(onceIn: 4) {
            note?("the end is lost")
            machine.isPreparing = false
            try scene.bus.pass(.seconds(31))
            // The login manager does not take part in what it has not announced, until it announces the next.
            machine.announce(false)
        } else {
            announce(false)
        }
        resume()
        try expect(after: length)
    }

    private func sleepUnannounced() throws {
        let length = try doze()
        resume()
        try expect(after: length)
    }

    /// Lets the machine sleep, and returns for how long.
    private func doze() throws -> Duration {
        let length: Duration = choices.one(of: [.milliseconds(50), .seconds(3), .seconds(40_000)])
        note?("asleep for \(length)")
        machine.doze(for: length)
        return length
    }

    private func resume() {
        scene.bus.clockChanged()
        scene.turn()
    }

    private func expect(after length: Duration?) throws {
        let expected = Sleep(state: .awake, sleptFor: length ?? last.sleptFor)
        try read()
        guard last == expected else { throw Broken("the reader knows \(last) instead of \(expected)") }
    }

    private func loseManager() throws {
        note?("no login manager for a while")
        machine.isManaged = false
        try sleepUnannounced()
        machine.isManaged = true
    }

    // MARK: - Programs

    private func changeTasks() throws {
        if let task = tasks.popLast() { return task.stream.close() }
        tasks.append(try life.begin("work", of: reader, pid: 20).holder)
    }

    /// Reads what the bus sends to the subscriber in the foreground, in order and each change once.
    private func read() throws {
        scene.turn()
        while let event = try reader.events().first {
            guard let sleep = event.sleep else { throw Broken("\(event)") }
            guard event.changeCount == 1 else { throw Broken("\(event) stands for more than it should") }
            note?("read: \(sleep)")
            (last, changes) = (sleep, changes + 1)
        }
    }

    private func wake(_ sleeper: Sleeper) throws {
        try read()
        guard try sleeper.subscription.events().isEmpty else { throw Broken("a sleeper received something") }
        let shell = scene.connect(pid: sleeper.pid)
        defer { shell.stream.close() }
        guard try life.set("foreground", of: sleeper.subscription, by: shell).isEmpty else { throw Broken("no wake") }
        let events = try sleeper.subscription.events()
        let missed = changes - sleeper.seen
        guard events.map(\.changeCount) == (missed > 0 ? [missed] : []), missed == 0 || events[0].sleep == last else {
            throw Broken("after \(missed) changes to \(last), a sleeper got \(events)")
        }
        guard try life.set("background", of: sleeper.subscription, by: shell).isEmpty else { throw Broken("no sleep") }
        sleeper.seen = changes
    }
}
