// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

/// Detects when a condition on an aspect becomes true, or without one, each change; pure.
package struct Trigger: Sendable {
    private let condition: Condition?
    package private(set) var isTrue: Bool

    package init(_ condition: Condition?, isTrue: Bool) {
        self.condition = condition
        self.isTrue = isTrue
    }

    package mutating func fires(on event: Event) -> Bool {
        guard let condition else { return event.changeCount > 0 }
        let wasTrue = isTrue
        isTrue = condition.holds(for: ReadingCoding.encode(event.reading, settings: event.settings))
        return isTrue && !wasTrue
    }

    /// Returns the known changes that were merged into an event, oldest first, with the event in the place of the last.
    ///
    /// The history has the latest changes, oldest first. They can be newer, or come from another bus.
    package static func changes(mergedInto event: Event, from history: [Event]) -> [Event] {
        let isSameBus = history.contains { $0.generation == event.generation && $0.sequence == event.sequence }
        let first = event.generation - event.changeCount
        return (isSameBus ? history.filter { $0.generation > first && $0.generation < event.generation } : []) + [event]
    }
}
