// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleTesting
import ReveilleWire
import Varlink

/// A random life with a login manager that is slow, stopped, unwilling or gone at any time, as is its message bus.
///
/// The promise is judged in each tenth of a second: while somebody who is awake wants it and the login manager answers,
/// a lock is missing for at most five seconds; and no lock delays a sleep for longer than that.
final class LoginLife {
    /// How long the lock may be missing.
    ///
    /// The login manager answers within three seconds.
    private static let patience: Duration = .seconds(5)
    /// How late the timers of the bus may be.
    private static let lateness: Duration = .milliseconds(150)
    private static let tick: Duration = .milliseconds(100)
    private static let answerTimes: [Duration?] = [.zero, .milliseconds(500), .seconds(1), .seconds(3), nil]
    /// The time after which the bus has asked whether a sleep has ended, and has the answer.
    private static let preparationTime: Duration = .seconds(33)
    /// The longest pause between attempts to reach the message bus.
    private static let longestPause: Duration = .seconds(61)

    private let directory: TemporaryDirectory
    private let life: SuspensionScene
    private let choices: Choices
    private let note: ((String) -> Void)?
    private var subscription: SceneSubscription?
    private var last = Sleep(state: .awake)
    private var isAwake = true
    private var task: ScenePeer?
    /// For how long a lock has been missing that should be there, or there that should not.
    private var missing: Duration = .zero
    private var remaining: Duration = .zero
    /// For how long a sleep has ended that the login manager did not announce; `nil` if there is none.
    private var unnoticed: Duration?
    /// For how long there has been a message bus again.
    private var connected: Duration = .seconds(3_600)
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
        for _ in 0..<steps {
            try step()
            try pass(.milliseconds(choices.one(of: [0, 0, 100, 900, 2_000, 4_000, 9_000])))
        }
        try end()
    }

    private func say(_ line: @autoclosure () -> String) {
        note?("\(scene.loop.bootClock / 1_000) ms: \(line())")
    }

    private func step() throws {
        switch choices.number(below: 14) {
        case 0, 1, 2: setAnswerTime(choices.one(of: Self.answerTimes))
        case 3, 4: setManaged(!machine.isManaged)
        case 5: setMessageBus(!machine.hasMessageBus)
        case 6: setRefusal(!machine.refusesLocks)
        case 7, 8, 9: announce(!machine.isPreparing, isLost: choices.happens(onceIn: 3))
        case 10: try changeState()
        case 11: try changeTask()
        case 12: try reload()
        default: try restart()
        }
    }

    // MARK: - The login manager

    private func setAnswerTime(_ time: Duration?) {
        say("it answers \(time.map { "after \($0)" } ?? "nothing")")
        machine.answerTime = time
    }

    private func setManaged(_ isManaged: Bool) {
        say(isManaged ? "the login manager appears" : "the login manager leaves")
        // A new one knows of no sleep.
        if isManaged { machine.isPreparing = false }
        machine.isManaged = isManaged
    }

    private func setMessageBus(_ hasMessageBus: Bool) {
        say(hasMessageBus ? "the message bus returns" : "the message bus ends")
        machine.hasMessageBus = hasMessageBus
    }

    private func setRefusal(_ refuses: Bool) {
        say(refuses ? "it refuses locks" : "it gives locks")
        machine.refusesLocks = refuses
    }

    private func announce(_ isPreparing: Bool, isLost: Bool) {
        say("the machine \(isPreparing ? "prepares" : "is awake")\(isLost ? ", in silence" : "")")
        machine.isPreparing = isPreparing
        // Only the end can be lost.
        if isPreparing || !isLost { machine.announce(isPreparing) }
        unnoticed = !isPreparing && isLost ? .zero : nil
    }

    // MARK: - Programs

    private func changeState() throws {
        isAwake.toggle()
        let state = isAwake ? "foreground" : "background"
        say("the reader goes to the \(state)")
        guard let subscription else { return }
        guard try life.set(state, of: subscription, by: scene.connect(pid: 20)).isEmpty else {
            throw Broken("no \(state)")
        }
    }

    private func changeTask() throws {
        if let task {
            say("the task ends")
            task.stream.close()
            self.task = nil
        } else if let subscription {
            say("a task begins")
            let (holder, reply) = try life.begin("work", of: subscription, pid: 20)
            task = reply.continues == true ? holder : nil
        }
    }

    private func reload() throws {
        say("the configuration is read again")
        try scene.bus.reload()
    }

    private func restart() throws {
        say("the bus restarts")
        try scene.restart(isClean: choices.happens(onceIn: 2))
        (missing, remaining, task) = (.zero, .zero, nil)
        try subscribe()
    }

    private func subscribe() throws {
        subscription = try life.subscribe(20, aspects: ["sleep"], state: isAwake ? "foreground" : "background")
        let state = try scene.connect().call("GetState", ["aspects": ["sleep"]]).parameters
        last.state = "\(state)".contains("preparing") ? .preparing : .awake
        try read()
    }

    private func read() throws {
        // Its time in the background may have ended.
        if let reply = try task?.next(), reply.continues != true { task = nil }
        guard let events = try subscription?.events() else { return }
        for event in events {
            say("read: \(event)")
            last = event.sleep ?? last
        }
    }

    // MARK: - The promise

    private func pass(_ duration: Duration) throws {
        var left = duration
        repeat {
            try scene.bus.pass(min(left, Self.tick))
            try read()
            try judge(after: min(left, Self.tick))
            left -= Self.tick
        } while left > .zero
    }

    private func judge(after time: Duration) throws {
        connected = machine.hasMessageBus ? connected + time : .zero
        let isWanted = isAwake || task != nil
        let answers = machine.isManaged && machine.answerTime != nil && connected > Self.longestPause
        unnoticed = unnoticed.map { $0 + time }
        let isNoticed = unnoticed.map { $0 > Self.preparationTime } ?? true
        let isAllowed = !machine.hasRefused && !machine.isPreparing && isNoticed
        let isMissing = isWanted && answers && isAllowed && !machine.isLocked
        missing = isMissing ? missing + time : .zero
        guard missing <= Self.patience + Self.lateness else {
            throw Broken("no lock for \(missing): \(machine.source)")
        }
        // A sleep that was not announced is not noticed.
        let isTooLong = machine.isLocked && (!isWanted || machine.isPreparing)
        remaining = isTooLong ? remaining + time : .zero
        guard remaining <= Self.patience + Self.lateness else { throw Broken("a lock remains for \(remaining)") }
    }

    /// Lets everything be as usual, and checks that all is known in time.
    private func end() throws {
        setMessageBus(true)
        try pass(Self.longestPause)
        if !machine.isManaged { setManaged(true) }
        setRefusal(false)
        setAnswerTime(.seconds(3))
        if machine.isPreparing { announce(false, isLost: true) }
        if machine.hasRefused { machine.announce(false) }
        if !isAwake { try changeState() }
        // An end that nobody announced is found by asking.
        try pass(Self.preparationTime + Self.patience)
        guard last.state == .awake, machine.isLocked else {
            throw Broken("in the end, the reader knows \(last), and the lock is \(machine.isLocked)")
        }
    }
}
