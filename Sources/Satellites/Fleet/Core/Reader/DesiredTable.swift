// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The desired values of a fleet's devices and groups, and whether they are applied: `reveille-fleet desired`.
///
/// Pure.
package enum DesiredTable {
    package enum Target: Sendable, Hashable {
        case device(DeviceID, DesiredChange.Outcome)
        /// A group, with the devices that have taken the value.
        case group(String, takenBy: [DeviceID])
    }

    package struct Row: Sendable, Hashable {
        package var target: Target
        package var name: String
        package var message: DesiredMessage
    }

    /// The topics to read.
    package static let filters = [
        "\(FleetTopic.root)/+/desired/+", "\(FleetTopic.root)/group/+/desired/+", FleetTopic.root + "/+/status",
    ]

    /// Returns the rows of the retained messages of ``filters``: devices before groups, each in order.
    ///
    /// Without a selection of devices, all groups are listed; otherwise those whose value a selected device has taken.
    package static func rows(
        _ contents: [String: [UInt8]], isSelected: ((DeviceID) -> Bool)? = nil
    ) -> [Row] {
        var statuses: [DeviceID: StatusMessage] = [:]
        var desired: [(topic: FleetTopic, message: DesiredMessage)] = []
        for (text, payload) in contents.sorted(by: { $0.key < $1.key }) {
            guard let topic = try? FleetTopic(text) else { continue }
            if case .status(let device) = topic {
                statuses[device] = try? StatusMessage(payload)
            } else if let message = try? DesiredMessage(payload) {
                desired.append((topic, message))
            }
        }
        let selected = statuses.filter { isSelected?($0.key) ?? true }
        return desired.compactMap { topic, message in
            switch topic {
            case .desired(let device, let name) where isSelected?(device) ?? true:
                let outcome = DesiredChange(device, name, message.position).outcome(statuses[device])
                return Row(target: .device(device, outcome), name: name, message: message)
            case .groupDesired(let group, let name):
                let devices = selected.filter { device, status in
                    message.position != nil && DesiredChange(device, name, message.position).outcome(status) == .taken
                }.keys.sorted()
                guard isSelected == nil || !devices.isEmpty else { return nil }
                return Row(target: .group(group, takenBy: devices), name: name, message: message)
            default: return nil
            }
        }
    }
}

extension DesiredTable {
    /// The columns of the text, with the rows' cells; the last column may be truncated.
    package static let columns: [(head: String, cell: @Sendable (Row) -> String)] = [
        ("DEVICE", { $0.target.text }), ("NAME", { $0.name }), ("APPLIED", { $0.target.applied }),
        ("VALUE", { String(decoding: JSON.object($0.message.value).bytes, as: UTF8.self).escaped }),
    ]

    /// Returns the rows as JSON: an array of objects without unknown members.
    package static func json(_ rows: [Row]) -> JSON {
        .array(
            rows.map { row in
                var members: JSONObject
                switch row.target {
                case .device(let device, let outcome):
                    members = ["device": .string(device.text), "applied": outcome.isApplied.map { .bool($0) } ?? .null]
                case .group(let group, let devices):
                    members = ["group": .string(group), "appliedBy": .array(devices.map { .string($0.text) })]
                }
                members["name"] = .string(row.name)
                members["value"] = .object(row.message.value)
                members["generation"] = row.message.generation.map { .integer($0) }
                members["changedAt"] = row.message.changedAt.map { .integer($0) }
                return .object(members)
            })
    }
}

extension DesiredTable.Target {
    fileprivate var text: String {
        switch self {
        case .device(let device, _): device.text
        case .group(let group, _): "group \(group)"
        }
    }

    fileprivate var applied: String {
        switch self {
        case .device(_, .taken): "yes"
        case .device(_, .refused): "no"
        case .device(_, .later(.lost)): "unknown (lost)"
        case .device(_, .later(let reason)): "later (\(reason == .noBus ? "no bus" : reason.rawValue))"
        case .device(_, .unreported): "unknown"
        case .device(_, .noDevice): "no such device"
        case .group(_, let devices): "by \(devices.count) device\(devices.count == 1 ? "" : "s")"
        }
    }
}

extension DesiredChange.Outcome {
    /// Whether the value is applied; `nil` if the device does not say.
    fileprivate var isApplied: Bool? {
        switch self {
        case .taken: true
        // The status of a lost device is its will, which does not list the values that it has taken.
        case .unreported, .later(.lost): nil
        case .later, .refused, .noDevice: false
        }
    }
}
