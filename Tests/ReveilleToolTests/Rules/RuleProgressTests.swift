// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import Testing
import Varlink

@testable import ReveilleTool

/// What a rule of a file and of a command line does with changes, one after the other.
@Suite struct RuleProgressTests {
    private static let low = "battery 'level < 0.1' -- low"

    private func rule(_ line: String) throws -> Rule {
        try #require(RulesFile(path: "/rules").parse(Array(line.utf8)).rules.first)
    }

    private func event(_ reading: Reading, _ generation: Int, changes: Int = 1) -> Event {
        Event(
            reading: reading, generation: generation, sequence: generation, changeCount: changes, isNetChange: true,
            firstChangedAt: Timestamp(microseconds: 1), changedAt: Timestamp(microseconds: Int64(generation)),
            droppedCount: 0)
    }

    private func level(_ level: Double?, _ generation: Int, changes: Int = 1) -> Event {
        event(.battery(Battery(state: .unplugged, level: level)), generation, changes: changes)
    }

    private func typed(_ rule: Rule, stored: OnState? = nil) -> RuleProgress {
        RuleProgress(rule, state: OnState.state(of: rule, storedAs: stored).rules.first)
    }

    /// Returns the positions of the levels for which a rule runs its command.
    private func runs(_ progress: RuleProgress, _ levels: [Double?]) -> [Int] {
        var progress = progress
        return levels.indices.filter { index in
            let change = level(levels[index], index + 1)
            let isDue = progress.look(at: change) != nil
            if isDue { progress.finish(change, exitCode: 0, at: Timestamp(microseconds: 0)) }
            return isDue
        }
    }

    @Test(
        "a rule runs each time that its condition becomes true; what is true at the start counts for a command line alone"
    )
    func becomesTrue() throws {
        let rule = try rule(Self.low)
        let levels = [0.5, 0.09, 0.08, nil, 0.05, 0.1, 0.09, 0.09, 0.5]
        #expect(runs(RuleProgress(rule, state: nil), levels) == [1, 4, 6])
        #expect(runs(typed(rule), levels) == [1, 4, 6])
        #expect(runs(RuleProgress(rule, state: nil), [0.05, 0.04, 0.5, 0.05]) == [3])
        #expect(runs(typed(rule), [0.05, 0.04, 0.5, 0.05]) == [0, 3])
    }

    @Test("a run that has not ended is due again, and one that has is not") func unfinishedRun() throws {
        var progress = typed(try rule(Self.low))
        _ = progress.look(at: level(0.5, 1))
        #expect(progress.look(at: level(0.05, 4, changes: 3)) == level(0.05, 4, changes: 3))
        #expect(progress.look(at: level(0.05, 4, changes: 3)) != nil)
        progress.finish(level(0.05, 4), exitCode: 3, at: Timestamp(microseconds: 7))
        #expect(progress.look(at: level(0.05, 4)) == nil)
        #expect(progress.state?.exitCode == 3 && progress.state?.ranAt == 7)
        // Of what another subscription delivers again, only the new changes count.
        _ = progress.look(at: level(0.5, 6))
        #expect(progress.look(at: level(0.05, 8, changes: 7))?.changeCount == 2)
    }

    @Test("a bus that is replaced during a run counts anew after it") func newInstanceDuringARun() throws {
        var progress = typed(try rule(Self.low))
        _ = progress.look(at: level(0.5, 49))
        progress.add(level(0.05, 50))
        let taken = progress.take()
        let change = try #require(taken)
        #expect(progress.look(at: change) != nil)
        progress.begin(sameInstance: false)
        progress.finish(change, exitCode: 0, at: Timestamp(microseconds: 0))
        progress.rest()
        #expect(progress.state?.generation == nil)
        _ = progress.look(at: level(0.5, 2))
        #expect(progress.look(at: level(0.05, 3)) != nil && progress.state?.generation == 2)
    }

    @Test("each instance of a bus counts anew, and so does each subscription's lifecycle") func newInstance() throws {
        var progress = typed(try rule(Self.low))
        _ = progress.look(at: level(0.5, 9))
        progress.begin(sameInstance: false)
        #expect(progress.look(at: level(0.05, 2)) != nil)
        let lifecycle = Rule(.lifecycle, .changes, of: nil, running: ["true"])
        var other = typed(lifecycle)
        for generation in [5, 1] { #expect(other.look(at: event(.unknown(.lifecycle), generation)) != nil) }
        other.finish(event(.unknown(.lifecycle), 5), exitCode: 0, at: Timestamp(microseconds: 0))
        #expect(other.look(at: event(.unknown(.lifecycle), 1)) != nil)
    }

    @Test("a rule without a condition runs for changes, not for a state") func changesAlone() throws {
        var progress = RuleProgress(try rule("defaults --domain a -- reload"), state: nil)
        let settings = Reading.unknown(.defaults)
        #expect(progress.look(at: event(settings, 3, changes: 0)) == nil)
        #expect(progress.look(at: event(settings, 3, changes: 0)) == nil)
        #expect(progress.look(at: event(settings, 5, changes: 2))?.changeCount == 2)
    }

    @Test("what a command line stores continues for the same rule, however it is spelled, and not for another")
    func storedRule() throws {
        let rule = try rule(Self.low)
        let state = RulesState(
            instance: "i", rules: [RuleState(rule: rule.text, isTrue: true, generation: 4, changedAt: 9)])
        let typed = Rule(.battery, rule.occasion, of: nil, running: ["low"])
        let stored = try JSON.parse(JSON(encoding: OnState(state, of: typed)).canonical.bytes).decode(OnState.self)
        for (line, isKnown) in [
            (Self.low, true), ("battery '(level<0.10)' -- x", true), ("battery 'level < 0.2' -- x", false),
            ("orientation 'pose == unknown' -- x", false),
        ] {
            let other = try self.rule(line)
            let next = OnState.state(of: Rule(other.aspect, other.occasion, of: nil, running: ["x"]), storedAs: stored)
            #expect(next.instance == (isKnown ? "i" : nil))
            #expect(next.rules.map(\.isTrue) == [isKnown] && next.rules.map(\.generation) == [isKnown ? 4 : nil])
        }
    }
}
