// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The value of one aspect at a time.
public enum Reading: Sendable, Hashable {
    /// Language and formats.
    case locale(LocaleSettings)
    /// The settings domains and their keys.
    case defaults(Defaults)
    /// All battery packs together.
    case battery(Battery)
    /// Near or far.
    case proximity(Proximity)
    /// The pose.
    case orientation(Orientation)

    /// The aspect that the value belongs to.
    public var aspect: Aspect {
        switch self {
        case .locale: .locale
        case .defaults: .defaults
        case .battery: .battery
        case .proximity: .proximity
        case .orientation: .orientation
        }
    }

    /// What an aspect reads before its first source was read, or without any.
    public static func unknown(_ aspect: Aspect) -> Reading {
        switch aspect {
        case .locale: .locale(.posix)
        case .defaults: .defaults(Defaults(domains: []))
        case .battery: .battery(.unknown)
        case .proximity: .proximity(.unknown)
        case .orientation: .orientation(.unknown)
        }
    }
}

extension Reading: CustomStringConvertible {
    /// The value in words.
    public var description: String {
        switch self {
        case .locale(let locale): locale.description
        case .defaults(let defaults): defaults.description
        case .battery(let battery): battery.description
        case .proximity(let proximity): proximity.description
        case .orientation(let orientation): orientation.description
        }
    }
}
