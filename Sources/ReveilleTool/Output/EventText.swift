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
}
