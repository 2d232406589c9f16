// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Something that reads bytes from outside, or does as they say, with what it promises whatever the bytes are.
///
/// Targets are pure: the same bytes give the same result in every process, so that a file that was found is a
/// test ever after.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Cutting a stream into messages.
    case frames
    /// JSON as the protocol has it.
    case json
    /// A connection of a client, up to the bus.
    case calls
    /// A connection to a bus, as a client reads it.
    case replies
    /// Descriptions of Varlink interfaces.
    case interface
    /// Files that set a locale.
    case env
    /// Settings files of every format.
    case settings
    /// Mount matrices.
    case matrix
    /// Attributes of power supplies and other drivers.
    case sysfs
    /// Scans of an IIO device's buffer.
    case scan
    /// What a read of an inotify descriptor gives.
    case inotify
    /// The service's configuration.
    case config
    /// The saved state, up to the bus.
    case state
    /// What a bus lives through among hostile users: calls, deaths, devices, clocks.
    case lives

    /// Gives the bytes to what reads them, and checks what came of it.
    ///
    /// - Throws: `Falsified`. That bytes make no sense is no failure.
    package func check(_ bytes: [UInt8]) throws(Falsified) {
        switch self {
        case .frames: try FramesTarget.check(bytes)
        case .json: try JSONTarget.check(bytes)
        case .calls: try CallsTarget.check(bytes)
        case .replies: try RepliesTarget.check(bytes)
        case .interface: try InterfaceTarget.check(bytes)
        case .env: try EnvironmentTarget.check(bytes)
        case .settings: try SettingsTarget.check(bytes)
        case .matrix: try MatrixTarget.check(bytes)
        case .sysfs: try SysfsTarget.check(bytes)
        case .scan: try ScanTarget.check(bytes)
        case .inotify: try InotifyTarget.check(bytes)
        case .config: try ConfigurationTarget.check(bytes)
        case .state: try StateTarget.check(bytes)
        case .lives: try LivesTarget.check(bytes)
        }
    }
}
