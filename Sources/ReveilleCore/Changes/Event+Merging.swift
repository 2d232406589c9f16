// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Event {
    /// The event that stands for two of the same aspect, of which the first was not told.
    ///
    /// - Parameters:
    ///   - later: The event that came after this one.
    ///   - lastSeen: What the subscriber was told before both, if that is known. Of settings it does not help: their
    ///     values are not told, so keys that came back still count as changed.
    /// - Returns: An event with the later state, and the changes of both.
    package func merged(with later: Event, lastSeen: Reading?) -> Event {
        var event = later
        event.changes = changes.addingUpToMaximum(later.changes)
        event.dropped = dropped.addingUpToMaximum(later.dropped)
        if changes > 0 { event.firstChangedAt = min(firstChangedAt, later.firstChangedAt) }
        event.reading = reading.merged(with: later.reading)
        event.settings = event.reading.settings
        if let lastSeen, !aspect.isReportedInParts {
            event.netChange = later.reading != lastSeen
        } else {
            event.netChange = netChange || later.netChange
        }
        return event
    }
}

extension Int {
    /// The sum of two counts, or the greatest number where it is greater still.
    package func addingUpToMaximum(_ other: Int) -> Int {
        let (sum, isTooGreat) = addingReportingOverflow(other)
        return isTooGreat ? .max : sum
    }
}
