// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension FleetTable {
    /// The columns of the text, with the rows' cells; the last column may be truncated.
    package static let columns: [(head: String, cell: @Sendable (Row) -> String)] = [
        ("DEVICE", { $0.device.text }), ("STATE", { $0.state.text }), ("LAST SEEN", { age($0.lastSeen) }),
        ("BATTERY", { battery($0) }), ("VERSION", { $0.version ?? "-" }),
        ("ASPECTS", { $0.aspects.isEmpty ? "-" : $0.aspects.joined(separator: " ") }),
    ]

    /// Returns the rows as JSON: an array of objects without unknown members.
    package static func json(_ rows: [Row]) -> JSON {
        .array(
            rows.map { row in
                var members: JSONObject = [
                    "device": .string(row.device.text), "state": .string(row.state.rawValue),
                ]
                if let lastSeen = row.lastSeen { members["lastSeen"] = .integer(lastSeen) }
                if let level = row.level { members["level"] = .number(level) }
                if let charging = row.charging { members["charging"] = .string(charging) }
                if let version = row.version { members["version"] = .string(version) }
                members["aspects"] = .array(row.aspects.map { .string($0) })
                return .object(members)
            })
    }

    package static func summary(_ rows: [Row]) -> String {
        let counts = State.allCases.map { state in (state, rows.count { $0.state == state }) }.filter { $0.1 > 0 }
        let parts = counts.map { "\($0.1) \($0.0.text)" }.joined(separator: ", ")
        return "\(rows.count) device\(rows.count == 1 ? "" : "s")" + (parts.isEmpty ? "" : ": \(parts)")
    }

    /// Returns an age in its largest unit, rounded down.
    static func age(_ seconds: Int64?) -> String {
        guard let seconds else { return "-" }
        return switch seconds {
        case ..<1: "now"
        case ..<60: "\(seconds) s ago"
        case ..<3_600: "\(seconds / 60) min ago"
        case ..<86_400: "\(seconds / 3_600) h ago"
        default: "\(seconds / 86_400) d ago"
        }
    }

    private static func battery(_ row: Row) -> String {
        let level = row.level.map { "\(Int(($0 * 100).rounded())) %" }
        let parts = [level, row.charging].compactMap(\.self)
        return parts.isEmpty ? "-" : parts.joined(separator: " ")
    }
}

extension FleetTable.State {
    package var text: String { self == .noBus ? "no bus" : rawValue }
}
