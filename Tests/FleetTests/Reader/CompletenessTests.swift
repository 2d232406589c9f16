// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import Testing
import Varlink

@Suite("What a broker did not deliver")
struct CompletenessTests {
    private func state(_ generation: Int64) -> StateMessage {
        StateMessage(
            instance: "a", generation: generation, changes: 0, changedAt: LedgerScene.time, value: ["level": 0.5])
    }

    @Test("nothing is asked for if all listed states have arrived")
    func complete() throws {
        var scene = try LedgerScene()
        _ = scene.status("a")
        _ = scene.state("a", 1, retained: true)
        var check = Completeness()
        #expect(check.mark(&scene.ledger, at: 0) == .complete([]))
    }

    @Test("a broker that drops all but its queue delivers everything in pages")
    func pages() throws {
        let devices = try (0..<500).map { try DeviceID("device-\($0)") }
        let aspects = ["battery", "locale", "orientation", "power", "proximity"]
        var ledger = Ledger()
        ledger.connect()
        for device in devices {
            _ = ledger.take(
                StatusMessage(isOnline: true, instance: "a", aspects: aspects), of: device, expiry: nil, at: 0)
        }
        var check = Completeness()
        var pages = 0
        while case .ask(let page) = check.mark(&ledger, at: 0) {
            pages += 1
            #expect(page.count * (1 + aspects.count) <= Completeness.pageLimits[0])
            for device in page {
                for aspect in aspects {
                    _ = ledger.take(state(1), of: device, aspect: aspect, isRetained: true, at: 0)
                }
            }
        }
        #expect(pages == 7)
        #expect(ledger.stateCount == 2_500)
        #expect(check.mark(&ledger, at: 0) == .complete([]))
    }

    @Test("a queue that delivers one message at a time is asked in every round, and what is missing then is reported")
    func shortQueue() throws {
        let aspects = ["a", "b", "c", "d", "e"]
        var scene = try LedgerScene()
        _ = scene.status("a", aspects: aspects)
        var check = Completeness()
        for (_, aspect) in zip(Completeness.pageLimits, aspects) {
            #expect(check.mark(&scene.ledger, at: 0) == .ask([scene.device]))
            _ = scene.ledger.take(state(1), of: scene.device, aspect: aspect, isRetained: true, at: 0)
        }
        let problem = FleetProblem.missingStates(scene.device, aspects: ["d", "e"])
        #expect(check.mark(&scene.ledger, at: 0) == .complete([Ledger.Outcome(problem: problem)]))
    }

    @Test("devices that are missing on the broker are asked for once")
    func nothing() throws {
        var ledger = Ledger()
        for number in 0..<1_000 {
            let position = FleetPosition(instance: "a", generation: 3)
            _ = ledger.resume(position, of: "battery", of: try DeviceID("device-\(number)"))
        }
        ledger.connect()
        var check = Completeness()
        var asked: [DeviceID] = []
        while case .ask(let page) = check.mark(&ledger, at: 0) { asked += page }
        #expect(asked.count == 1_000 && Set(asked).count == 1_000)
        ledger.connect()
        var next = Completeness()
        #expect(next.mark(&ledger, at: 0) == .complete([]))
    }

    @Test("a device that is gone while the reader was away is asked for, and then removed")
    func removed() throws {
        var scene = try LedgerScene(knowing: "a", 1)
        scene.ledger.connect()
        var check = Completeness()
        var events: [FleetEvent] = []
        loop: while true {
            switch check.mark(&scene.ledger, at: 0) {
            case .ask(let page): #expect(page == [scene.device])
            case .complete(let outcomes):
                events = outcomes.compactMap(\.event)
                break loop
            }
        }
        #expect(events.count == 2)
        #expect(events.allSatisfy { if case .removed = $0 { true } else { false } })
    }

    @Test("positions of devices that this reader does not watch are kept")
    func unwatched() throws {
        var scene = try LedgerScene()
        let other = try DeviceID("other")
        _ = scene.ledger.resume(FleetPosition(instance: "a", generation: 3), of: "battery", of: other)
        var check = Completeness(isWanted: { device, _ in device != other })
        #expect(check.mark(&scene.ledger, at: 0) == .complete([]))
        #expect(scene.ledger.position(of: "battery", of: other)?.generation == 3)
    }

    @Test("states without a status are reported")
    func withoutStatus() throws {
        var scene = try LedgerScene()
        _ = scene.state("a", 1, retained: true)
        var check = Completeness()
        var problems: [FleetProblem] = []
        loop: while true {
            if case .complete(let outcomes) = check.mark(&scene.ledger, at: 0) {
                problems = outcomes.compactMap(\.problem)
                break loop
            }
        }
        #expect(problems == [.missingStatus(scene.device)])
        #expect(scene.ledger.stateCount == 1)
    }
}
