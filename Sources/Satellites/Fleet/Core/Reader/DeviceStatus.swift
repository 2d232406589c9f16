// SPDX-License-Identifier: Apache-2.0

/// Whether a device is connected, and further details.
public struct DeviceStatus: Sendable, Hashable {
    /// The device.
    public let device: DeviceID
    /// Whether the device is connected.
    public let isOnline: Bool
    /// Why it is not connected, or not complete; `nil` if all is well.
    public let reason: StatusMessage.Reason?
    /// The bus that the device last named; `nil` if none.
    public let instance: String?
    /// The aspects that the device last named; empty if none.
    public let aspects: [String]
    /// The version of the bridge that the device last named; `nil` if none.
    public let version: String?
    /// The seconds between two wakes of a device that disconnects in between; `nil` while it is connected.
    public let wakeEvery: Int64?
    /// The age of the status in seconds on the broker's clock; `nil` if the broker does not say.
    public let age: Int64?

    package init(
        device: DeviceID, isOnline: Bool, reason: StatusMessage.Reason? = nil, instance: String? = nil,
        aspects: [String] = [], version: String? = nil, wakeEvery: Int64? = nil, age: Int64? = nil
    ) {
        self.device = device
        self.isOnline = isOnline
        self.reason = reason
        self.instance = instance
        self.aspects = aspects
        self.version = version
        self.wakeEvery = wakeEvery
        self.age = age
    }
}
