// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

/// Detects when a condition on an aspect becomes true.
///
/// Pure.
package struct Trigger: Sendable {
    private let condition: Condition
    /// Whether the condition was true of the last event.
    package private(set) var isTrue: Bool

    /// Creates a trigger that has last found the condition true or false.
    package init(_ condition: Condition, isTrue: Bool) {
        self.condition = condition
        self.isTrue = isTrue
    }

    /// Takes an event of the aspect, and returns whether the condition has become true with it.
    package mutating func fires(on event: Event) -> Bool {
        let wasTrue = isTrue
        isTrue = condition.holds(for: ReadingCoding.encode(event.reading, settings: event.settings))
        return isTrue && !wasTrue
    }

    /// Returns the changes that were merged into an event, oldest first, as far as they are known.
    ///
    /// - Parameters:
    ///   - event: An event.
    ///   - history: The latest changes of its aspect, oldest first. They can be newer, or come from another bus.
    /// - Returns: The known changes, followed by the event itself in the place of the last change.
    package static func changes(mergedInto event: Event, from history: [Event]) -> [Event] {
        let isSameBus = history.contains { $0.generation == event.generation && $0.sequence == event.sequence }
        let first = event.generation - event.changes
        return (isSameBus ? history.filter { $0.generation > first && $0.generation < event.generation } : []) + [event]
    }
}
