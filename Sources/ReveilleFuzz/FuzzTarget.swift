// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A reader of external bytes, or an interpreter of them, together with the properties that hold for any bytes.
///
/// Targets are deterministic: the same bytes give the same result in every process, so every finding becomes a test.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Splitting a stream into messages.
    case frames
    /// JSON as used by the protocol.
    case json
    /// A client's connection, including the bus.
    case calls
    /// A connection to a bus, read by a client.
    case replies
    /// Descriptions of Varlink interfaces.
    case interface
    /// Conditions on the command line.
    case condition
    /// Files that set the locale.
    case env
    /// Settings files of all formats.
    case settings
    /// Mount matrices.
    case matrix
    /// Attributes of power supplies and other drivers.
    case sysfs
    /// The files that describe the device.
    case device
    /// Scans of an IIO device's buffer.
    case scan
    /// The data read from an inotify descriptor.
    case inotify
    /// The messages of the kernel about links, addresses and routes.
    case network
    /// The modes and descriptions of displays.
    case display
    /// Files of time zones, with slots of calendar rules in them.
    case zone
    /// The service's configuration.
    case config
    /// The configuration of a bridge to a broker.
    case bridge
    /// The messages of a broker to a reader of a fleet, and its saved positions.
    case fleet
    /// The saved state, including the bus.
    case state
    /// The reports of gpsd.
    case gpsd
    /// The requests to the page of `reveille-view`, and its position and history.
    case view
    /// A bus among hostile users: calls, deaths, devices and clocks.
    case lives

    /// Passes the bytes to their reader and checks the result.
    ///
    /// - Throws: `Falsified`. Rejecting invalid bytes is not a failure.
    package func check(_ bytes: [UInt8]) throws(Falsified) {
        switch self {
        case .frames: try FramesTarget.check(bytes)
        case .json: try JSONTarget.check(bytes)
        case .calls: try CallsTarget.check(bytes)
        case .replies: try RepliesTarget.check(bytes)
        case .interface: try InterfaceTarget.check(bytes)
        case .condition: try ConditionTarget.check(bytes)
        case .env: try EnvironmentTarget.check(bytes)
        case .settings: try SettingsTarget.check(bytes)
        case .matrix: try MatrixTarget.check(bytes)
        case .sysfs: try SysfsTarget.check(bytes)
        case .device: try DeviceTarget.check(bytes)
        case .scan: try ScanTarget.check(bytes)
        case .inotify: try InotifyTarget.check(bytes)
        case .network: try NetworkTarget.check(bytes)
        case .display: try DisplayTarget.check(bytes)
        case .zone: try ZoneTarget.check(bytes)
        case .config: try ConfigurationTarget.check(bytes)
        case .bridge: try BridgeTarget.check(bytes)
        case .fleet: try FleetTarget.check(bytes)
        case .state: try StateTarget.check(bytes)
        case .gpsd: try GPSDTarget.check(bytes)
        case .view: try ViewTarget.check(bytes)
        case .lives: try LivesTarget.check(bytes)
        }
    }
}
