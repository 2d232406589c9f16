// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// The devices of a fleet at one time, as `reveille-fleet status` shows them.
///
/// Pure.
package enum FleetTable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        case online
        /// It is connected, but its bus cannot be reached.
        case noBus
        /// It has disconnected until its next wake.
        case asleep
        /// It should have woken up, but has not.
        case overdue
        case stopped
        case lost
        /// It has states, but no status.
        case unknown
    }

    package struct Row: Sendable, Hashable {
        package var device: DeviceID
        package var state: State
        /// The seconds since the broker last heard of the device; 0 while it is connected, `nil` if unknown.
        package var lastSeen: Int64?
        /// The level of the battery, from 0 to 1.
        package var level: Double?
        /// The state of the battery: `charging`.
        package var charging: String?
        /// The aspects that the status lists, or whose states have arrived.
        package var aspects: [String]
        package var version: String?
    }

    /// The wakes after which a sleeper is overdue: a wake may be late by its spread and by the pause before a retry.
    package static let overdueWakes: Int64 = 2
    /// How long after its alarm a machine is overdue: it connects again within the longest pause of a bridge.
    package static let grace = Uplink.pauses.upperBound

    /// Returns the rows of all devices, in their order.
    package static func rows(
        statuses: [DeviceID: DeviceStatus], states: [DeviceID: [String: DeviceEvent]], at now: Timestamp
    ) -> [Row] {
        let states = states.filter { !$0.value.isEmpty }
        return Set(statuses.keys).union(states.keys).sorted().map { row($0, statuses[$0], states[$0] ?? [:], at: now) }
    }

    private static func row(
        _ device: DeviceID, _ status: DeviceStatus?, _ states: [String: DeviceEvent], at now: Timestamp
    ) -> Row {
        let state = state(of: status, at: now)
        let battery = states["battery"]?.value.objectValue
        let listed = status?.aspects ?? []
        return Row(
            device: device, state: state, lastSeen: status?.isOnline == true ? 0 : status?.age?.components.seconds,
            level: battery?["level"]?.numberValue.flatMap { (0...1).contains($0) ? $0 : nil },
            charging: battery?["state"]?.stringValue, aspects: (listed.isEmpty ? Array(states.keys) : listed).sorted(),
            version: status?.version)
    }

    private static func state(of status: DeviceStatus?, at now: Timestamp) -> State {
        guard let status else { return .unknown }
        if status.isOnline { return status.reason == .noBus ? .noBus : .online }
        switch status.reason {
        case .stopped: return .stopped
        case .asleep:
            if let wake = status.wakesAt { return now > wake + grace ? .overdue : .asleep }
            guard let every = status.wakeEvery, every > .zero, let age = status.age else { return .asleep }
            return age / every >= Double(overdueWakes) ? .overdue : .asleep
        default: return .lost
        }
    }
}

extension FleetTable {
    /// The columns of the text, with the rows' cells; the last column may be truncated.
    package static let columns: [(head: String, cell: @Sendable (Row) -> String)] = [
        ("DEVICE", { $0.device.text }), ("STATE", { $0.state.text }),
        ("LAST SEEN", { $0.lastSeen.map(Age.phrase) ?? "-" }),
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

    private static func battery(_ row: Row) -> String {
        let level = row.level.map { "\(Int(($0 * 100).rounded()))%" }
        let parts = [row.charging, level].compactMap(\.self)
        return parts.isEmpty ? "-" : parts.joined(separator: ", ")
    }
}

extension FleetTable.State {
    package var text: String { self == .noBus ? "no bus" : rawValue }
}
