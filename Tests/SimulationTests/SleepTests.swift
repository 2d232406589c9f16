// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleSystem
import Testing
import Varlink

/// The bus on a machine that sleeps.
@Suite(.timeLimit(.minutes(10))) struct SleepTests {
    private let life: SuspensionScene
    private var scene: BusScene { life.scene }
    private var machine: SimulatedMachine { scene.bus.machine }

    init() throws {
        life = try SuspensionScene()
    }

    private func states(of subscription: SceneSubscription) throws -> [String] {
        try subscription.events().map { event in
            guard let sleep = event.sleep else { return "\(event)" }
            return "\(sleep.state) \(sleep.sleptFor.map { "\($0 / .seconds(1))" } ?? "-") ×\(event.changeCount)"
        }
    }

    @Test func awakeSubscriberReadsBothHalvesAndTheSleeperOneEventOfBoth() throws {
        let awake = try life.subscribe(20, aspects: ["sleep"])
        let sleeper = try life.subscribe(21, aspects: ["sleep"], state: "background")
        #expect(machine.isLocked)
        machine.isPreparing = true
        machine.announce(true)
        scene.turn()
        #expect(machine.isLocked)
        #expect(try states(of: awake) == ["preparing - ×1"])
        scene.pass(.milliseconds(490))
        #expect(machine.isLocked)
        scene.pass(.milliseconds(30))
        #expect(!machine.isLocked)
        machine.doze(for: .seconds(512))
        scene.bus.clockChanged()
        scene.turn()
        #expect(try states(of: awake) == [])
        machine.isPreparing = false
        machine.announce(false)
        scene.turn()
        #expect(try states(of: awake) == ["awake 512.0 ×1"])
        #expect(machine.isLocked)
        #expect(try states(of: sleeper) == [])
        #expect(try life.set("foreground", of: sleeper, by: scene.connect(pid: 21)).isEmpty)
        let woken = try states(of: sleeper)
        #expect(woken == ["awake 512.0 ×2"])
    }

    @Test func subscriberThatDoesNotReadDelaysTheSleepUntilTheEndOfPatience() throws {
        let deaf = try life.subscribe(20, aspects: ["sleep"])
        machine.announce(true)
        scene.pass(.milliseconds(4_490))
        #expect(machine.isLocked)
        scene.pass(.milliseconds(20))
        #expect(!machine.isLocked)
        #expect(scene.log.all.contains { $0.contains("although process 20 has not read") })
        #expect(try states(of: deaf) == ["preparing - ×1"])
    }

    @Test func subscriberThatHasAnEarlierEventUnreadIsNotWaitedFor() throws {
        let deaf = try life.subscribe(20, aspects: ["sleep", "battery"])
        scene.change(.battery)
        scene.turn()
        machine.announce(true)
        scene.turn()
        #expect(!machine.isLocked)
        #expect(try deaf.events().map(\.aspect) == [.battery])
        #expect(try states(of: deaf) == ["preparing - ×1"])
    }

    @Test("subscribers that the first turns do not reach are waited for, too")
    func moreSubscribersThanTurnsReach() throws {
        let subscribers = try (0..<600).map { number in
            // A user may have only so many connections.
            try life.subscribe(20 + number, aspects: ["sleep"], uid: 1_000 + UInt32(number / 50))
        }
        machine.announce(true)
        for subscriber in subscribers.dropLast() { #expect(try states(of: subscriber) == ["preparing - ×1"]) }
        scene.pass(.milliseconds(4_400))
        #expect(machine.isLocked)
        #expect(try subscribers.last.map(states) == ["preparing - ×1"])
        scene.pass(.milliseconds(600))
        #expect(!machine.isLocked)
    }

    @Test func taskAloneDelaysTheSleepAndTheLoginManagerIsLetGoFiveSecondsLater() throws {
        let reader = try life.subscribe(20, aspects: ["battery"])
        #expect(!machine.isFollowed)
        let (holder, _) = try life.begin("save", of: reader, pid: 20)
        #expect(machine.isLocked)
        machine.announce(true)
        scene.pass(.milliseconds(4_400))
        #expect(machine.isLocked)
        let sources = try scene.connect().call("DescribeAspects").parameters
        #expect("\(sources)".contains(#"task \"save\" of process 20 has not ended"#))
        scene.pass(.milliseconds(200))
        #expect(!machine.isLocked)
        #expect(scene.log.all.contains { $0.contains(#"although the task "save" of process 20 has not ended"#) })
        machine.announce(false)
        scene.turn()
        #expect(machine.isLocked)
        holder.stream.close()
        scene.turn()
        #expect(!machine.isLocked)
        #expect(machine.isFollowed)
        scene.pass(.milliseconds(5_100))
        #expect(!machine.isFollowed)
    }

    @Test func subscriberThatComesDuringThePreparationLearnsOfIt() throws {
        _ = try life.begin("save", of: try life.subscribe(20, aspects: ["battery"]), pid: 20)
        machine.isPreparing = true
        machine.announce(true)
        scene.turn()
        let late = try life.subscribe(21, aspects: ["sleep"])
        scene.turn()
        let state = try scene.connect().call("GetState", ["aspects": ["sleep"]]).parameters
        #expect("\(state)".contains("preparing"))
        #expect(try states(of: late) == [])
    }

    @Test func nobodyInterestedLeavesTheLoginManagerAlone() throws {
        let sleeper = try life.subscribe(20, aspects: ["sleep"], state: "background")
        #expect(machine.isFollowed && !machine.isLocked)
        machine.announce(true)
        scene.turn()
        #expect(!machine.isLocked)
        sleeper.peer.stream.close()
        scene.pass(.milliseconds(5_100))
        #expect(!machine.isFollowed)
    }

    @Test func sleepsWithoutSubscribersAreMeasuredOneByOne() throws {
        for seconds in [100, 7] {
            machine.doze(for: .seconds(seconds))
            scene.bus.clockChanged()
            scene.turn()
        }
        let awake = try life.subscribe(20, aspects: ["sleep"])
        machine.announce(true)
        scene.turn()
        #expect(try states(of: awake) == ["preparing 7.0 ×1"])
    }

    @Test func postedPreparationTouchesNoLock() throws {
        let awake = try life.subscribe(20, aspects: ["sleep"])
        let root = scene.connect(uid: 0, pid: 30)
        #expect(try root.call("Post", ["sleep": ["state": "preparing", "sleptFor": .null]]).error == nil)
        #expect(try states(of: awake) == ["preparing - ×1"])
        scene.pass(.seconds(6))
        #expect(machine.isLocked)
    }

    @Test("after a sleep, each source is read once or twice for everyone, and each client gets each name once")
    func resume() throws {
        let resume = try Resume()
        // Twice if the bus notices the end of the sleepers' time during the first reading.
        #expect(resume.readings.values.allSatisfy { (1...2).contains($0) }, "\(resume.readings)")
        #expect(resume.firings.awake.allSatisfy { $0 == Resume.nameCount }, "\(resume.firings.awake)")
        #expect(resume.firings.sleepers.allSatisfy { $0 == Resume.nameCount }, "\(resume.firings.sleepers)")
        #expect(resume.messages.awake.allSatisfy { $0 <= 6 }, "\(resume.messages.awake)")
        #expect(resume.messages.sleepers.allSatisfy { $0 <= 6 }, "\(resume.messages.sleepers)")
    }

    @Test(
        "a login manager that is slow, stopped, unwilling or gone at any time gives a lock within five seconds of answering",
        arguments: Seeds.ranges)
    func anyLoginManager(seeds: ClosedRange<UInt64>) throws {
        try Seeds.run(seeds, of: "SleepTests") { seed, _ in try LoginLife(seed: seed, note: Seeds.note).run(30) }
    }
}
