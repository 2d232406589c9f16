// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing

/// The moments at which a condition becomes true.
@Suite struct TriggerTests {
    private func event(_ level: Double?, generation: Int, changes: Int = 1) -> Event {
        EventCodingTests.event(
            .battery(Battery(state: .unplugged, level: level)), changes: changes, generation: generation)
    }

    /// Returns the positions at which the level falls below a tenth.
    private func firings(_ levels: [Double?], startsTrue: Bool) throws -> [Int] {
        var trigger = Trigger(try Condition(parsing: "level < 0.1"), isTrue: startsTrue)
        return levels.indices.filter { trigger.fires(on: event(levels[$0], generation: $0)) }
    }

    @Test("a trigger fires with each change from false to true")
    func triggerFiresWhenTheConditionBecomesTrue() throws {
        #expect(try firings([0.5, 0.09, 0.08, nil, 0.05, 0.1, 0.09, 0.09, 0.5], startsTrue: false) == [1, 4, 6])
        #expect(try firings([0.05], startsTrue: false) == [0])
    }

    @Test("a condition that was true before does not become true") func conditionThatWasTrueDoesNotFire() throws {
        #expect(try firings([0.05, 0.04, 0.5, 0.05], startsTrue: true) == [3])
    }

    @Test("a merged event is separated into the changes that are known")
    func mergedEventIsSeparated() {
        let history = (3...9).map { event(Double($0) / 10, generation: $0) }
        func separated(_ event: Event, _ history: [Event]) -> [Int] {
            Trigger.changes(mergedInto: event, from: history).map(\.generation)
        }
        #expect(separated(event(0.8, generation: 8, changes: 3), history) == [6, 7, 8])
        #expect(separated(event(0.8, generation: 8, changes: 8), history) == [3, 4, 5, 6, 7, 8])
        #expect(separated(event(0.8, generation: 8, changes: 1), history) == [8])
        #expect(separated(event(0.8, generation: 8, changes: 0), history) == [8])
        #expect(separated(event(0.8, generation: 8, changes: 3), []) == [8])
        // The history is from another bus, or newer than the event.
        #expect(separated(event(0.8, generation: 20, changes: 15), history) == [20])
        #expect(separated(event(0.1, generation: 2, changes: 2), history) == [2])
        var other = event(0.8, generation: 8, changes: 3)
        other.sequence += 1
        #expect(separated(other, history) == [8])
    }
}
