// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import Testing
import Varlink

@Suite("States that the broker no longer has")
struct LedgerAbsenceTests {
    private var scene: LedgerScene

    init() throws {
        scene = try LedgerScene(knowing: "a", 10)
    }

    /// Connects to a broker that has lost everything, and returns the reported removals.
    private mutating func loseAll() -> [String] {
        scene.ledger.connect()
        var check = Completeness()
        while true {
            guard case .complete(let outcomes) = check.mark(&scene.ledger, at: 0) else { continue }
            return outcomes.compactMap {
                if case .removed(let removal)? = $0.event { removal.aspect ?? "status" } else { nil }
            }
        }
    }

    @Test("a removal is reported once, however often the broker is reached without the state")
    mutating func once() throws {
        _ = loseAll()
        #expect(loseAll() == [])
        scene.ledger = try Ledger(positions: scene.ledger.positions())
        #expect(loseAll() == [])
        #expect(scene.state("a", 12).state?.changeCount == 2)
    }

    @Test("a removal that was not taken is reported by the next run")
    mutating func notTaken() throws {
        var inbox = FleetInbox()
        scene.ledger.connect()
        var check = Completeness()
        while true {
            guard case .complete(let outcomes) = check.mark(&scene.ledger, at: 0) else { continue }
            for outcome in outcomes { inbox.put(outcome) }
            break
        }
        let text = scene.ledger.positions(without: inbox)
        #expect(text.contains("kiosk-7 a battery=10\n"))
        while inbox.take() != nil {}
        #expect(scene.ledger.positions(without: inbox).contains("kiosk-7 a !battery=10\n"))
        scene.ledger = try Ledger(positions: text)
        #expect(loseAll() == ["battery"])
    }

    @Test("a state that is deleted is forgotten, even if the broker had lost it")
    mutating func deleted() {
        _ = loseAll()
        #expect(scene.ledger.remove("battery", of: scene.device) == Ledger.Outcome())
        #expect(scene.state("a", 12).state?.changeCount == nil)
    }

    @Test("what the broker has takes the place of what it lost, if a device or the reader is full")
    mutating func room() throws {
        scene.ledger = Ledger(limit: 3)
        _ = scene.state("a", 1)
        _ = loseAll()
        let other = try DeviceID("other")
        for aspect in ["battery", "proximity"] {
            let state = StateMessage(instance: "b", generation: 1, changes: 0, changedAt: LedgerScene.time, value: [:])
            #expect(scene.ledger.take(state, of: other, aspect: aspect, isRetained: false, at: 0).state != nil)
        }
        #expect(scene.ledger.deviceCount == 1 && scene.ledger.stateCount == 2)
    }
}
