// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

/// An event that a reader of a fleet receives.
package enum FleetEvent: Sendable, Hashable {
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
package struct DeviceRemoval: Sendable, Hashable {
    package let device: DeviceID
    /// The aspect whose state was removed; `nil` for the status of the device.
    package let aspect: String?
    package internal(set) var previous: FleetPosition?
}

/// Whether a device is connected, and further details.
package struct DeviceStatus: Sendable, Hashable {
    /// Why a device is not connected, or not complete.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// It has disconnected until its next wake, or its machine sleeps.
        case asleep
        /// Its bridge was stopped.
        case stopped
        /// The broker lost the connection; this is its will.
        case lost
        /// It is connected, but its bus cannot be reached.
        case noBus
    }
    package let device: DeviceID
    /// Whether the device is connected.
    package let isOnline: Bool
    /// Why it is not connected, or not complete; `nil` if all is well.
    package let reason: Reason?
    /// The bus that the device last named; `nil` if none.
    package let instance: String?
    /// The aspects that the device last named; empty if none.
    package let aspects: [String]
    /// The version of the bridge that the device last named; `nil` if none.
    package let version: String?
    /// The time between two wakes of a device that disconnects in between; `nil` while it is connected.
    package let wakeEvery: Duration?
    /// The time at which an alarm wakes the machine of a device, which sleeps; `nil` if no alarm is known.
    ///
    /// Measured by the device's clock. The device may wake before, and connects within five minutes after.
    package let wakesAt: Timestamp?
    /// The age of the status on the broker's clock, in whole seconds; `nil` if the broker does not say.
    package let age: Duration?
}
