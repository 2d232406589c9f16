// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// The changes of a merged event, as far as a history has them.
@Suite struct EventSeparationTests {
    private func event(_ generation: Int, changes: Int = 1) -> Event {
        Event(
            reading: .battery(Battery(state: .unplugged, level: Double(generation) / 100)), generation: generation,
            sequence: 9, changeCount: changes, isNetChange: true, firstChangedAt: Timestamp(microseconds: 1),
            changedAt: Timestamp(microseconds: 2), droppedCount: 0)
    }

    @Test(
        "a merged event is separated into the changes that are known",
        arguments: [(3, [6, 7, 8]), (8, Array(3...8)), (1, [8]), (0, [8])])
    func mergedEventIsSeparated(changes: Int, generations: [Int]) {
        let history = (3...9).map { event($0) }
        #expect(event(8, changes: changes).separated(by: history).map(\.generation) == generations)
    }

    @Test("a history that is empty, older than the event, newer or of another bus has none of its changes")
    func otherHistory() {
        let history = (3...9).map { event($0) }
        var other = event(8, changes: 3)
        other.sequence += 1
        for (event, history) in [
            (event(8, changes: 3), []), (event(20, changes: 15), history), (event(2, changes: 2), history),
            (other, history),
        ] {
            #expect(event.separated(by: history) == [event])
        }
    }
}
