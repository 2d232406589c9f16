// SPDX-License-Identifier: Apache-2.0

/// An elapsed time, in its largest unit.
package enum Age {
    private static let hour: Int64 = 3_600
    private static let day = 24 * hour

    /// Returns an age for a column: `now`, `59 s`, `47 h`, `3 d`; a negative age, after a clock was set, is `now`.
    package static func text(_ seconds: Int64) -> String {
        switch seconds {
        case ..<1: "now"
        case ..<60: "\(seconds) s"
        case ..<hour: "\(seconds / 60) min"
        case ..<(2 * day): "\(seconds / hour) h"
        default: "\(seconds / day) d"
        }
    }

    /// Returns an age in a sentence: `now`, `59 s ago`.
    package static func phrase(_ seconds: Int64) -> String { seconds < 1 ? "now" : text(seconds) + " ago" }
}
