// SPDX-License-Identifier: Apache-2.0

extension Event {
    /// Returns one event with the changes of this undelivered event and a later one of the same aspect.
    ///
    /// The reading that the subscriber received before both, if known, is ignored for settings: events do not contain
    /// their values, so keys that changed back still count as changed.
    package func merged(with later: Event, lastSeen: Reading?) -> Event {
        var event = later
        event.changeCount = changeCount.addingUpToMaximum(later.changeCount)
        event.droppedCount = droppedCount.addingUpToMaximum(later.droppedCount)
        if changeCount > 0 { event.firstChangedAt = min(firstChangedAt, later.firstChangedAt) }
        event.reading = reading.merged(with: later.reading)
        event.settings = event.reading.settings
        if let state = later.folders, later.changeCount == 0 {
            // A later state has all names; the subscriber knows some of them.
            event.reading = .folders(changeCount == 0 ? state : state.rescanned)
        }
        if let folders = event.reading.folders {
            event.isNetChange = event.changeCount == 0 || !folders.folders.isEmpty
        } else if let lastSeen, aspect.builtIn?.isReportedInParts != true {
            event.isNetChange = later.reading != lastSeen || later.reading.isOccurrence
        } else {
            event.isNetChange = isNetChange || later.isNetChange
        }
        return event
    }

    /// Returns the known changes that were merged into this event, oldest first, with the event in the place of the last.
    ///
    /// The history has the latest changes, oldest first. They can be newer, or come from another bus.
    package func separated(by history: [Event]) -> [Event] {
        let isSameBus = history.contains { $0.generation == generation && $0.sequence == sequence }
        let first = generation - changeCount
        return (isSameBus ? history.filter { $0.generation > first && $0.generation < generation } : []) + [self]
    }
}

extension Int {
    package mutating func addUpToMaximum(_ other: Int) {
        self = addingUpToMaximum(other)
    }

    /// Returns the sum of two counts, limited to the largest integer.
    package func addingUpToMaximum(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
