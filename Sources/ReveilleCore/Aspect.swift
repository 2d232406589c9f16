// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// One thing about the device that can change: what subscribers ask for by name.
public enum Aspect: String, Sendable, Hashable, CaseIterable, Codable, CustomStringConvertible {
    /// Language and formats in force.
    case locale
    /// The user's settings files.
    case defaults
    /// All battery packs of the system, and whether it is plugged in.
    case battery
    /// Whether something is close to the front of the device.
    case proximity
    /// How the device is held.
    case orientation

    /// The word that stands for the aspect on the wire and on the command line.
    public var description: String { rawValue }

    /// Position in an ``AspectTable`` and in an ``AspectSet``.
    var index: Int {
        switch self {
        case .locale: 0
        case .defaults: 1
        case .battery: 2
        case .proximity: 3
        case .orientation: 4
        }
    }
}
