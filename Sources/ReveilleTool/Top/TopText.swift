// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Numbers in the few columns of `reveille top`.
enum TopText {
    /// Returns the time since a change in its largest unit: `now`, `59 s`, `47 h`.
    ///
    /// A time in the future, after the clock was set, is `now`.
    static func age(of change: Timestamp, at now: Timestamp) -> String {
        let (microseconds, isTooLong) = now.microseconds.subtractingReportingOverflow(change.microseconds)
        guard !isTooLong else { return "-" }
        let seconds = microseconds / 1_000_000
        switch seconds {
        case ..<1: return "now"
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) d"
        }
    }

    /// Returns a number of events or changes a second: `-` if it is not known yet, `0`, `0.5`, `12`, `13k`.
    static func rate(_ rate: Double?) -> String {
        guard let rate, rate.isFinite else { return "-" }
        switch rate {
        case ...0: return "0"
        case ..<0.05: return "<0.1"
        case ..<9.95: return "\((rate * 10).rounded() / 10)"
        case ..<9_999.5: return "\(Int(rate.rounded()))"
        case ..<9_999_500: return "\(Int((rate / 1_000).rounded()))k"
        default: return ">9999k"
        }
    }

    /// Returns a number with its noun: `1 subscription`, `12 subscriptions`.
    static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
