// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore

/// The time of day of an event, in the user's time zone.
enum LocalTime {
    static func text(_ timestamp: Timestamp) -> String {
        var seconds = time_t(timestamp.microseconds / 1_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
