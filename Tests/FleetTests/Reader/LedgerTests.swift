// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import Testing
import Varlink

@Suite("The reader's rule")
struct LedgerTests {
    @Test("a state has as many changes as its generation is ahead, and the first has an unknown number")
    func counts() throws {
        var scene = try LedgerScene()
        #expect(scene.state("a", 10).state?.changeCount == nil)
        #expect(scene.state("a", 15).state?.changeCount == 5)
        #expect(scene.state("a", 16).state?.changeCount == 1)
    }

    @Test("a single state of a foreign bus does not hide the states of the bus that the status names")
    func foreignState() throws {
        var scene = try LedgerScene(knowing: "a", 5)
        #expect(scene.state("lie", 9).state?.isNewInstance == true)
        let truth = scene.state("a", 6)
        #expect(truth.state?.changeCount == nil && truth.state?.isNewInstance == true)
        #expect(truth.problem == .sharedIdentity(scene.device, instances: ["a", "lie"]))
        #expect(scene.state("a", 8).state?.changeCount == 2)
    }

    @Test("two buses with one identity are reported once, and each newest state is delivered without a number")
    func sharedIdentity() throws {
        var scene = try LedgerScene()
        var problems: [FleetProblem] = []
        for round in 1...20 {
            for instance in ["a", "b"] {
                if let problem = scene.status(instance).problem { problems.append(problem) }
                let outcome = scene.state(instance, Int64(round))
                #expect(outcome.state?.changeCount == nil && outcome.state?.generation == Int64(round))
                if let problem = outcome.problem { problems.append(problem) }
            }
        }
        #expect(problems == [.sharedIdentity(scene.device, instances: ["a", "b"])])
    }

    @Test("an implausible generation is reported, and the true one after it is the newest again")
    func implausible() throws {
        var scene = try LedgerScene()
        _ = scene.state("a", 10)
        let lie = scene.state("a", StateMessage.generationLimit)
        #expect(lie.state?.changeCount == nil)
        #expect(lie.problem?.description.contains("implausible") == true)
        let truth = scene.state("a", 11, retained: true)
        #expect(truth.state?.generation == 11 && truth.state?.changeCount == nil)
        #expect(scene.state("a", 12).state?.changeCount == 1)
    }

    @Test("a generation that was exaggerated a little does not hide the true states for good")
    func smallLie() throws {
        var scene = try LedgerScene()
        _ = scene.state("a", 10)
        _ = scene.state("a", 1_000_000)
        #expect(scene.state("a", 11, at: 0).state == nil)
        #expect(scene.state("a", 12, at: 400).state == nil)
        let accepted = scene.state("a", 13, at: 800)
        #expect(accepted.state?.generation == 13 && accepted.state?.changeCount == nil)
        #expect(
            accepted.problem
                == .wentBack(scene.device, aspect: "battery", from: 1_000_000, to: 13, isAccepted: true))
        #expect(scene.state("a", 15, at: 900).state?.changeCount == 2)
    }

    @Test("a queue of old states that is delivered again changes nothing")
    func replayedQueue() throws {
        var scene = try LedgerScene()
        _ = scene.state("a", 10_000)
        for generation in 1..<Int64(10_000) { #expect(scene.state("a", generation, at: 30).event == nil) }
        #expect(scene.state("a", 10_001, at: 60).state?.changeCount == 1)
    }

    @Test("a broker that lost messages is reported, and the newer state remains")
    func brokerWentBack() throws {
        var scene = try LedgerScene()
        _ = scene.state("a", 10)
        scene.ledger.connect()
        let outcome = scene.state("a", 8, retained: true)
        #expect(outcome.event == nil)
        #expect(
            outcome.problem == .wentBack(scene.device, aspect: "battery", from: 10, to: 8, isAccepted: false))
        #expect(scene.state("a", 11).state?.changeCount == 1)
    }

    @Test("a clock of 1970 makes the time unknown, and is reported once")
    func unknownTime() throws {
        var scene = try LedgerScene()
        let first = scene.state("a", 1, changedAt: 60_000_000)
        #expect(first.state?.changedAt == nil && first.problem == .unknownTime(scene.device))
        #expect(scene.state("a", 2, changedAt: 61_000_000).problem == nil)
        #expect(scene.state("a", 3).state?.changedAt?.microseconds == LedgerScene.time)
    }

    @Test("of ten thousand devices whose clocks are wrong, one is reported")
    func manyUnknownTimes() throws {
        var ledger = Ledger()
        let state = StateMessage(instance: "a", generation: 1, changes: 1, changedAt: 60_000_000, value: .null)
        let problems = try (1...10_000).compactMap {
            ledger.take(state, of: try DeviceID("kiosk-\($0)"), aspect: "battery", isRetained: false, at: 0).problem
        }
        #expect(problems == [.unknownTime(try DeviceID("kiosk-1"))])
    }

    @Test("a status is an event only if it changed, and a will keeps what the device has said")
    func statuses() throws {
        var scene = try LedgerScene()
        #expect(scene.status("a").event != nil)
        #expect(scene.status("a", at: 50).event == nil)
        guard case .status(let lost)? = scene.status(nil, online: false, aspects: []).event else {
            Issue.record("no event")
            return
        }
        #expect(!lost.isOnline && lost.instance == "a" && lost.aspects == ["battery"] && lost.age == .zero)
    }

    @Test("a deleted state and status are removed, and a later state is a first one")
    func removal() throws {
        var scene = try LedgerScene(knowing: "a", 4)
        let topic = FleetTopic.state(scene.device, "battery").text
        let outcome = scene.ledger.receive([], on: topic, isRetained: false, expiry: nil, at: 0)
        guard case .removed(let removal)? = outcome.event else {
            Issue.record("no removal")
            return
        }
        #expect(removal.aspect == "battery")
        _ = scene.ledger.receive(
            [], on: FleetTopic.status(scene.device).text, isRetained: false, expiry: nil, at: 0)
        #expect(scene.ledger.deviceCount == 0 && scene.ledger.stateCount == 0)
        #expect(scene.state("a", 5).state?.changeCount == nil)
    }

    @Test("a sleeper that was awake in between is a status again, with its new age")
    func awakeInBetween() throws {
        var scene = try LedgerScene()
        func status(_ scene: inout LedgerScene, age: UInt32, at now: Int64) -> Int64? {
            let status = StatusMessage(isOnline: false, reason: .asleep, instance: "a", aspects: ["battery"])
            let outcome = scene.ledger.take(
                status, of: scene.device, expiry: StatusMessage.lease - age, at: now)
            if case .status(let status)? = outcome.event { return status.age?.components.seconds }
            return nil
        }
        #expect(status(&scene, age: 10, at: 100) == 10)
        #expect(status(&scene, age: 501, at: 590) == nil)
        #expect(status(&scene, age: 30, at: 700) == 30)
    }

    @Test("a device with more names than a status can list is limited, and reported once")
    func manyNames() throws {
        var scene = try LedgerScene()
        var problems: [FleetProblem] = []
        for number in 0..<2_000 {
            let state = StateMessage(instance: "a", generation: 1, changes: 0, changedAt: LedgerScene.time, value: [:])
            let outcome = scene.ledger.take(
                state, of: scene.device, aspect: "org.example.job\(number)", isRetained: true, at: 0)
            if let problem = outcome.problem { problems.append(problem) }
        }
        #expect(scene.ledger.stateCount == StatusMessage.aspectLimit)
        #expect(problems == [.tooManyStates(scene.device, limit: StatusMessage.aspectLimit)])
    }

    @Test("a broker that lies a million times uses bounded memory, and a thousand problems are reported")
    func manyLies() throws {
        var ledger = Ledger()
        ledger.connect()
        var problems = 0
        for number in 0..<20_000 {
            let payload = Array("{\"lie\":\(number)}".utf8)
            let topic = "reveille/v1/device-\(number % 5_000)/state/battery"
            if ledger.receive(payload, on: topic, isRetained: true, expiry: nil, at: 0).problem != nil { problems += 1 }
            if ledger.receive(payload, on: "reveille/v1/\(number)", isRetained: true, expiry: nil, at: 0).problem
                != nil
            {
                problems += 1
            }
        }
        #expect(problems <= 1_001)
        #expect(ledger.stateCount == 5_000)
    }

    @Test("a full ledger ignores further states, and reports it once")
    func fullLedger() throws {
        var ledger = Ledger(limit: 4)
        ledger.connect()
        var problems: [FleetProblem] = []
        for number in 0..<10 {
            let state = StateMessage(instance: "a", generation: 1, changes: 0, changedAt: LedgerScene.time, value: [:])
            let outcome = ledger.take(
                state, of: try DeviceID("device-\(number)"), aspect: "battery", isRetained: true, at: 0)
            if let problem = outcome.problem { problems.append(problem) }
        }
        #expect(ledger.stateCount == 2)
        #expect(problems == [.tooLarge(try DeviceID("device-2"), limit: 4)])
    }
}
