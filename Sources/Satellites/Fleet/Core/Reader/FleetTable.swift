// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The devices of a fleet at one time: what `reveille-fleet status` shows.
///
/// Pure.
package struct FleetTable: Sendable {
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

    private struct Battery: Sendable {
        var level: Double?
        var state: String?
    }

    /// The wakes after which a sleeper is overdue: a wake may be late by its spread and by the pause before a retry.
    package static let overdueWakes: Int64 = 2

    private var batteries: [DeviceID: Battery] = [:]

    package init() {}

    package mutating func take(_ event: FleetEvent) {
        switch event {
        case .state(let event) where event.aspect == "battery":
            let level = event.value.objectValue?["level"]?.numberValue.flatMap { (0...1).contains($0) ? $0 : nil }
            batteries[event.device] = Battery(level: level, state: event.value.objectValue?["state"]?.stringValue)
        case .removed(let removal) where removal.aspect == "battery": batteries[removal.device] = nil
        default: break
        }
    }

    package func rows(of ledger: Ledger, at now: Int64) -> [Row] {
        ledger.devices.values.filter(\.isPresent).map { row($0, at: now) }.sorted { $0.device < $1.device }
    }

    private func row(_ record: DeviceRecord, at now: Int64) -> Row {
        let battery = batteries[record.device]
        let state = Self.state(of: record, at: now)
        let heard = [record.heard, record.status?.time].compactMap(\.self).max()
        let isConnected = state == .online || state == .noBus
        return Row(
            device: record.device, state: state,
            lastSeen: isConnected ? 0 : heard.map { max(0, now - $0) },
            level: battery?.level, charging: battery?.state,
            aspects: (record.listed ?? Array(record.states.keys)).sorted(), version: record.version)
    }

    private static func state(of record: DeviceRecord, at now: Int64) -> State {
        guard let status = record.status else { return .unknown }
        if status.isOnline { return status.reason == .noBus ? .noBus : .online }
        switch status.reason {
        case .stopped: return .stopped
        case .asleep:
            guard let every = status.wakeEvery, every > 0, let time = status.time else { return .asleep }
            return (now - time) / every >= overdueWakes ? .overdue : .asleep
        default: return .lost
        }
    }
}
