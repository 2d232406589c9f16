// SPDX-License-Identifier: Apache-2.0

/// A reader of external bytes, or an interpreter of them, together with the properties that hold for any bytes.
///
/// Targets are deterministic: the same bytes give the same result in every process, so every finding becomes a test.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    /// The name on the command line, and of the directory of its corpus.
    package let description: String
    /// Passes the bytes to their reader and checks the result; rejecting invalid bytes is not a failure.
    package let check: @Sendable (_ bytes: [UInt8]) throws(Falsified) -> Void

    private init(_ name: String, _ check: @escaping @Sendable ([UInt8]) throws(Falsified) -> Void) {
        description = name
        self.check = check
    }

    /// Returns the target with a name.
    static func named(_ name: some StringProtocol) -> FuzzTarget? { all.first { $0.description == name } }

    /// All targets.
    package static let all: [FuzzTarget] = [
        // Splitting a stream into messages.
        FuzzTarget("frames", FramesTarget.check),
        // JSON as used by the protocol.
        FuzzTarget("json", JSONTarget.check),
        // A client's connection, including the bus.
        FuzzTarget("calls", CallsTarget.check),
        // A connection to a bus, read by a client.
        FuzzTarget("replies", RepliesTarget.check),
        // Descriptions of Varlink interfaces.
        FuzzTarget("interface", InterfaceTarget.check),
        // Conditions on the command line.
        FuzzTarget("condition", ConditionTarget.check),
        // Files that set the locale.
        FuzzTarget("env", EnvironmentTarget.check),
        // Settings files of all formats.
        FuzzTarget("settings", SettingsTarget.check),
        // Mount matrices.
        FuzzTarget("matrix", MatrixTarget.check),
        // Attributes of power supplies and other drivers.
        FuzzTarget("sysfs", SysfsTarget.check),
        // The files that describe the device.
        FuzzTarget("device", DeviceTarget.check),
        // Scans of an IIO device's buffer.
        FuzzTarget("scan", ScanTarget.check),
        // The data read from an inotify descriptor.
        FuzzTarget("inotify", InotifyTarget.check),
        // The messages of the kernel about links, addresses and routes.
        FuzzTarget("network", NetworkTarget.check),
        // The modes and descriptions of displays.
        FuzzTarget("display", DisplayTarget.check),
        // Files of time zones, with slots of calendar rules in them.
        FuzzTarget("zone", ZoneTarget.check),
        // The service's configuration.
        FuzzTarget("config", ConfigurationTarget.check),
        // The configuration of a bridge to a broker.
        FuzzTarget("bridge", BridgeTarget.check),
        // The messages of a broker to a reader of a fleet, and its saved positions.
        FuzzTarget("fleet", FleetTarget.check),
        // The saved state, including the bus.
        FuzzTarget("state", StateTarget.check),
        // The reports of gpsd.
        FuzzTarget("gpsd", GPSDTarget.check),
        // The requests to the page of `reveille-view`, and its position and history.
        FuzzTarget("view", ViewTarget.check),
        // A bus among hostile users: calls, deaths, devices and clocks.
        FuzzTarget("lives", LivesTarget.check),
    ]
}
