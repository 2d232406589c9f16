// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import Testing

@testable import ReveilleTool

/// The rules of a file, what of their progress is stored, and where their subscriptions continue.
@Suite struct RuleSetTests {
    private static let low = "battery 'level < 0.2' -- low"
    private static let full = "battery 'level > 0.9' -- full"
    private static let settings = "defaults --domain a -- reload"
    private var set = RuleSet(stored: RulesState())

    private func rules(_ lines: String...) -> [Rule] {
        RulesFile(path: "/rules").parse(Array(lines.joined(separator: "\n").utf8)).rules
    }

    private static func event(_ generation: Int, level: Double = 0.5) -> Event {
        Event(
            reading: .battery(
                Battery(state: .unplugged, level: level, isPlugged: false, chargeStatus: .discharging, packs: [])),
            generation: generation, sequence: generation, changeCount: 1, isNetChange: true,
            firstChangedAt: Timestamp(microseconds: 1), changedAt: Timestamp(microseconds: Int64(generation)),
            droppedCount: 0)
    }

    /// Subscribes the rules to an instance, and lets each look at a change.
    private mutating func look(at event: Event, in instance: String, since former: String? = nil) {
        set.begin(nil, in: instance, since: former)
        for rule in set.rules(of: nil) { _ = set.change(rule.rule.text) { $0.look(at: event) } }
    }

    @Test("a rule whose line moves goes on, a new one begins, and one that is removed is forgotten")
    mutating func newerFile() {
        #expect(set.replace(with: rules(Self.low, Self.full)).map(\.text) == [Self.low, Self.full])
        look(at: Self.event(4), in: "i")
        #expect(set.replace(with: rules("# moved", Self.full, Self.settings)).map(\.text) == [Self.settings])
        #expect(set.rules.map(\.rule.number) == [2, 3])
        #expect(set.rules.map { $0.state?.generation } == [4, nil])
        #expect(set.change(Self.low) { _ in true } == nil)
        #expect(set.rule(Self.full)?.number == 2)
    }

    @Test("only a difference that outlasts the process is stored") mutating func differences() {
        _ = set.replace(with: rules(Self.low))
        #expect(set.unstored == nil)
        look(at: Self.event(4), in: "i")
        let state = set.unstored
        #expect(state?.instance == "i" && state?.rules.map(\.generation) == [4])
        set.stored = state ?? set.stored
        #expect(set.unstored == nil)
        look(at: Self.event(5), in: "i", since: "i")
        #expect(set.unstored == nil, "a change that makes no difference")
        look(at: Self.event(6), in: "j", since: "i")
        #expect(set.unstored?.instance == "j")
    }

    @Test("what was stored of a rule continues in the same instance, and counts anew in another")
    mutating func storedState() throws {
        _ = set.replace(with: rules(Self.low))
        look(at: Self.event(4, level: 0.1), in: "i")
        let stored = try #require(set.unstored)
        for (instance, generation) in [("i", 4), ("j", nil)] {
            var later = RuleSet(stored: stored)
            _ = later.replace(with: rules(Self.low))
            later.begin(nil, in: instance, since: stored.instance)
            #expect(later.rules.map { $0.state?.generation } == [generation])
            #expect(later.rules.map { $0.state?.isTrue } == [true])
        }
    }

    @Test("a subscription continues at the earliest change that one of its rules has looked at")
    mutating func positions() {
        _ = set.replace(with: rules(Self.low, Self.full, Self.settings))
        #expect(set.positions(of: nil, in: "i") == nil)
        look(at: Self.event(4), in: "i")
        _ = set.change(Self.full) { $0.look(at: Self.event(6)) }
        #expect(set.positions(of: nil, in: "i")?.generations == [Aspect(.battery): 4])
        #expect(set.positions(of: ["a"], in: "i") == nil, "of other domains")
        #expect(set.positions(of: nil, in: nil) == nil)
    }
}
