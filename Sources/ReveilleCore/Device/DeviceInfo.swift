// SPDX-License-Identifier: Apache-2.0

/// A description of the device and its system.
///
/// Serial numbers and other identifiers of the hardware are not part of it.
public struct DeviceInfo: Sendable, Hashable {
    /// The name of the host.
    public var name: String
    /// The model, such as `Pine64 PinePhone Pro`; `nil` where the firmware does not state a useful one.
    public var model: String?
    /// The vendor of the device; `nil` where the firmware does not state a useful one.
    public var vendor: String?
    /// The kind of the device; `nil` if neither the administrator nor the firmware states it, or a later version has added
    /// it.
    public var chassis: Chassis?
    /// The name of the operating system, such as `Debian GNU/Linux`.
    public var system: String
    /// The version of the operating system, such as `12`; empty for a system without versions.
    public var systemVersion: String
    /// The release of the kernel, such as `6.1.0-18-arm64`.
    public var kernel: String
    /// An identifier of the device for this user, in the form of a UUID.
    ///
    /// It remains the same until the operating system is installed again, and cannot be traced to the hardware or to the
    /// identifiers of other users. `nil` if the machine has no ID (machine-id(5)), as in some containers.
    public var identifier: String?
    /// The number of processors that are online, at least 1.
    public var processors: Int
    /// The maximum frequency of the fastest processor in Hz; `nil` if it is unknown, as in most virtual machines.
    public var frequency: Int?
    /// The usable memory in bytes; 0 if it is unknown.
    public var memory: Int

    package init(
        name: String, model: String?, vendor: String?, chassis: Chassis?, system: String, systemVersion: String,
        kernel: String, identifier: String?, processors: Int, frequency: Int?, memory: Int
    ) {
        self.name = name
        self.model = model
        self.vendor = vendor
        self.chassis = chassis
        self.system = system
        self.systemVersion = systemVersion
        self.kernel = kernel
        self.identifier = identifier
        self.processors = processors
        self.frequency = frequency
        self.memory = memory
    }
}
