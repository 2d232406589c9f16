// SPDX-License-Identifier: Apache-2.0

/// What a reader of a fleet receives.
public enum FleetEvent: Sendable, Hashable {
    /// An aspect of a device has a new state.
    case state(DeviceEvent)
    /// The status of a device has changed.
    case status(DeviceStatus)
    /// The broker has no more states of an aspect, or no status of a device.
    case removed(DeviceRemoval)
    /// Everything that the broker had at the time of the connection has been delivered.
    case caughtUp
    /// The broker is out of reach. The reader tries again; changes in the meantime come before the next ``caughtUp``.
    case disconnected(FleetError)
    /// A problem, which does not stop the reader.
    case problem(FleetProblem)
}

/// An aspect that a device no longer has, or a device that is no longer part of the fleet.
public struct DeviceRemoval: Sendable, Hashable {
    /// The device.
    public let device: DeviceID
    /// The aspect whose state was removed; `nil` for the status of the device.
    public let aspect: String?
    package let previous: FleetPosition?

    package init(device: DeviceID, aspect: String?, previous: FleetPosition? = nil) {
        self.device = device
        self.aspect = aspect
        self.previous = previous
    }
}
