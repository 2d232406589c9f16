// SPDX-License-Identifier: Apache-2.0

/// A desired value of a device, or the deletion of one, and its state according to the device's status.
package struct DesiredChange: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        case taken
        /// The device takes the change when it is back.
        case later(DeviceStatus.Reason)
        /// The device is connected, but has not taken the change.
        case refused
        /// The device is connected, but does not say whether it has taken the change.
        case unreported
        case noDevice
    }

    package let device: DeviceID
    package let name: String
    /// The number of the value; for a deletion, the number of the last value.
    private let value: FleetPosition?
    private let isDeletion: Bool

    /// Describes a change by the number of its value, which plain values do not have.
    package init(_ device: DeviceID, _ name: String, _ value: FleetPosition?, isDeletion: Bool = false) {
        self.device = device
        self.name = name
        self.value = value
        self.isDeletion = isDeletion
    }

    package func outcome(_ status: StatusMessage?) -> Outcome {
        guard let status else { return .noDevice }
        if isTaken(status) { return .taken }
        guard status.isOnline else { return .later(status.reason ?? .lost) }
        if status.reason == .noBus { return .later(.noBus) }
        return status.taken == nil || value == nil && !isDeletion ? .unreported : .refused
    }

    private func isTaken(_ status: StatusMessage) -> Bool {
        guard let taken = status.taken else { return false }
        guard let found = taken[name], found.instance == value?.instance else { return isDeletion }
        return !isDeletion && found.generation >= value?.generation ?? 0
    }
}
