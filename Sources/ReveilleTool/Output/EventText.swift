// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// Events and states as a line for people.
enum EventText {
    /// A line of an event: the aspect, its state, and what was merged into it.
    static func line(_ event: Event) -> StyledText {
        let remarks: StyledText = event.remarks.isEmpty ? "" : "  (\(event.remarks.joined(separator: ", ")))"
        return Style.bold("\(event.aspect)").padded(to: 12) + "\(event.reading)" + Style.dim(remarks)
    }
}
