// SPDX-License-Identifier: Apache-2.0

/// The name of a time zone: the device's own zone, or a name of the tz database.
package enum ZoneName: Sendable, Hashable, CustomStringConvertible {
    case local
    /// A name of the tz database, such as `Europe/Berlin`, checked by ``init(_:)``.
    case named(String)

    /// Creates a name from `local`, a name of the tz database, or `nil`, which means `local`; `nil` for other text.
    ///
    /// A name consists of letters, digits, `_`, `+`, `-` and `.` between slashes. It does not lead out of the directory
    /// of the database, because none of its parts begins with a `.`.
    package init?(_ text: String?) {
        guard let text, text != ScheduleEntry.localZone else {
            self = .local
            return
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            part.first.map { $0 != UInt8(ascii: ".") } ?? false
                && part.allSatisfy { $0.isLetter || $0.isDigit || "_+-.".utf8.contains($0) }
        }
        guard isName, text.utf8.count <= ScheduleEntry.zoneLimit else { return nil }
        self = .named(text)
    }

    /// Whether it is `UTC`, whose rules need no file.
    package var isConstant: Bool { self == .named("UTC") }

    package var description: String {
        switch self {
        case .local: ScheduleEntry.localZone
        case .named(let name): name
        }
    }
}
