// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// Events and states as a line for people.
enum EventText {
    /// A line of an event: the aspect, its state, and what was merged into it.
    static func line(_ event: Event) -> String {
        let aspect = padded(event.aspect.rawValue, to: 12)
        let remarks = event.remarks.isEmpty ? "" : "  (" + event.remarks.joined(separator: ", ") + ")"
        return Style.bold(aspect) + event.reading.description + Style.dim(remarks)
    }

    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
