// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Varlink

/// A random life of a machine that sleeps: announced or not, with announcements that come twice, late or not at all, and
/// with a bus that ends or is killed at any time.
///
/// One subscriber reads at once, and what it has read is what the others must learn when they wake.
final class SleepLife {
    /// How long the lock may delay a sleep.
    private static let longestDelay: Duration = .milliseconds(4_500)
    /// How late the timers of the bus may be.
    private static let lateness: Duration = .milliseconds(60)

    private final class Sleeper {
        let pid: Int32
        var subscription: SceneSubscription?
        /// The generation that this subscriber knows.
        var seen = 0

        init(pid: Int32) { self.pid = pid }
    }

    private let directory: TemporaryDirectory
    private let life: SuspensionScene
    private let choices: Choices
    private let note: ((String) -> Void)?
    private let reader = Sleeper(pid: 20)
    private var last = Sleep(state: .awake)
    private let sleepers = [Sleeper(pid: 21), Sleeper(pid: 22)]
    private var instance = ""
    private var tasks: [ScenePeer] = []
    private var scene: BusScene { life.scene }
    private var machine: SimulatedMachine { scene.bus.machine }

    init(seed: UInt64, note: ((String) -> Void)?) throws {
        directory = try TemporaryDirectory()
        life = try SuspensionScene(state: StateFile(path: directory.path + "/state.json"))
        choices = Choices(seed: seed)
        self.note = note
        try subscribe()
    }

    func run(_ steps: Int) throws {
        for _ in 0..<steps { try step() }
        for sleeper in sleepers { try wake(sleeper) }
    }

    private func step() throws {
        switch choices.number(below: 11) {
        case 0..<4: try sleepAnnounced()
        case 4: try sleepUnannounced()
        case 5: try changeTasks()
        case 6, 7: try wake(choices.one(of: sleepers))
        case 8: try loseManager()
        case 9: _ = try restart(asleep: choices.happens(onceIn: 2))
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
        if choices.happens(onceIn: 4) {
            _ = try restart(asleep: false)
        } else if tasks.isEmpty {
            try scene.bus.pass(.milliseconds(490))
            guard machine.isLocked else { throw Broken("nobody had time to begin a task") }
            try scene.bus.pass(.milliseconds(10) + Self.lateness)
        } else {
            try scene.bus.pass(Self.longestDelay + Self.lateness)
        }
        guard !machine.isLocked else { throw Broken("the lock stands too long, with \(tasks.count) tasks") }
        var length = choices.happens(onceIn: 4) ? nil : try doze()
        if length != nil, choices.happens(onceIn: 2) { resume() }
        if choices.happens(onceIn: 8), try !restart(asleep: false) { length = nil }
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
        let length: Duration =
            choices.one(of: [.milliseconds(50), .seconds(3), .seconds(40_000)])
            + .milliseconds(choices.number(below: 1_000))
        // Sleeps of one length would be no change.
        guard length != last.sleptFor else { return try doze() }
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

    // MARK: - The bus

    /// Ends or kills the bus, lets the machine sleep in its absence or not, and starts the next bus.
    ///
    /// Returns whether the next bus is the same instance.
    private func restart(asleep: Bool) throws -> Bool {
        let isClean = choices.happens(onceIn: 2)
        note?(isClean ? "the bus ends" : "the bus is killed")
        // A bus that is killed while its state is not saved is followed by another instance, which knows of nothing.
        let isSaved = isClean || choices.happens(onceIn: 2)
        if isSaved { try scene.bus.pass(.milliseconds(500)) }
        let length = asleep ? try doze() : nil
        let before = instance
        try scene.restart(isClean: isClean)
        tasks = []
        try subscribe()
        guard instance == before else {
            guard !isSaved else { throw Broken("another instance continues") }
            return false
        }
        if length != nil { try expect(after: length) }
        return true
    }

    /// Subscribes everyone from what they know.
    private func subscribe() throws {
        for subscriber in [reader] + sleepers {
            var parameters: JSONObject = ["state": subscriber === reader ? "foreground" : "background"]
            if !instance.isEmpty {
                let position: JSON = ["aspect": "sleep", "generation": .integer(Int64(subscriber.seen))]
                parameters["instance"] = .string(instance)
                parameters["resume"] = [position]
            }
            let peer = scene.connect(uid: 1_000, pid: subscriber.pid)
            let start = try peer.subscribe(to: ["sleep"], parameters)
            subscriber.subscription = SceneSubscription(peer: peer, id: start.subscription)
            if start.resumed == false, let event = start.events.first, let sleep = event.sleep {
                // The state of another instance.
                subscriber.seen = event.generation
                if subscriber === reader { last = sleep }
                try read()
            } else if subscriber === reader {
                for event in start.events { try take(event) }
                try read()
            } else if !instance.isEmpty {
                try check(start.events, of: subscriber)
            }
            instance = start.instance
        }
    }

    // MARK: - Programs

    private func changeTasks() throws {
        if let task = tasks.popLast() { return task.stream.close() }
        guard let subscription = reader.subscription else { return }
        tasks.append(try life.begin("work", of: subscription, pid: reader.pid).holder)
    }

    /// Reads what the bus sends to the subscriber in the foreground, in order and each change once.
    private func read() throws {
        scene.turn()
        while let event = try reader.subscription?.events().first {
            guard event.changeCount == 1 else { throw Broken("\(event) stands for more than it should") }
            try take(event)
        }
    }

    private func take(_ event: Event) throws {
        guard let sleep = event.sleep, event.generation == reader.seen + event.changeCount else {
            throw Broken("after generation \(reader.seen), the reader got \(event)")
        }
        note?("read: \(sleep)")
        (last, reader.seen) = (sleep, event.generation)
    }

    private func wake(_ sleeper: Sleeper) throws {
        try read()
        guard let subscription = sleeper.subscription, try subscription.events().isEmpty else {
            throw Broken("a sleeper received something")
        }
        let shell = scene.connect(pid: sleeper.pid)
        defer { shell.stream.close() }
        guard try life.set("foreground", of: subscription, by: shell).isEmpty else { throw Broken("no wake") }
        try check(try subscription.events(), of: sleeper)
        guard try life.set("background", of: subscription, by: shell).isEmpty else { throw Broken("no sleep") }
    }

    /// Checks that a sleeper gets one event for all that it has missed.
    private func check(_ events: [Event], of sleeper: Sleeper) throws {
        let missed = reader.seen - sleeper.seen
        guard events.map(\.changeCount) == (missed > 0 ? [missed] : []), missed == 0 || events[0].sleep == last else {
            throw Broken("after \(missed) changes to \(last), a sleeper got \(events)")
        }
        sleeper.seen = reader.seen
    }
}
