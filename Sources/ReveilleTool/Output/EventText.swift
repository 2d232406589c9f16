// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// The text form of events.
enum EventText {
    /// Returns the line of an event: its aspect, its state, and remarks on merged changes.
    static func line(_ event: Event) -> StyledText {
        let remarks: StyledText = event.remarks.isEmpty ? "" : "  (\(event.remarks.joined(separator: ", ")))"
        return Style.bold("\(event.aspect)").padded(to: 12) + "\(event.reading)" + Style.dim(remarks)
    }

    /// Returns the time of an event's last change, as the beginning of its line; without a date, `now` for a state.
    static func time(of event: Event, withDate: Bool) -> StyledText {
        let day = withDate ? LocalTime.date(event.changedAt) + " " : ""
        let time = event.changes == 0 && !withDate ? "now" : day + LocalTime.time(event.changedAt)
        return Style.dim(StyledText(time)).padded(to: withDate ? 21 : 10)
    }
}
