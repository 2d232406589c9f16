// SPDX-License-Identifier: Apache-2.0

/// The importance of a message in the log of a program, from the least to the greatest, in the words of swift-log.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case trace, debug, info, notice, warning, error, critical

    package struct Invalid: Error, CustomStringConvertible {
        package let description: String
    }

    /// Returns the level of the command line, else of `$LOG_LEVEL` (in any case of letters), else `info`.
    package static func chosen(_ option: LogLevel?) throws(Invalid) -> LogLevel {
        if let option { return option }
        guard let text = Environment["LOG_LEVEL"] else { return .info }
        guard let level = LogLevel(rawValue: text.lowercased()) else {
            let levels = allCases.map(\.rawValue).joined(separator: ", ")
            throw Invalid(description: "LOG_LEVEL: '\(text.printable)' must be one of \(levels)")
        }
        return level
    }

    /// The priority of syslog(3), which a journal stores.
    package var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    package static func < (one: LogLevel, other: LogLevel) -> Bool {
        guard let index = allCases.firstIndex(of: one), let end = allCases.firstIndex(of: other) else { return false }
        return index < end
    }
}
