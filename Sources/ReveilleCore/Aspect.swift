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
}

extension Aspect {
    /// When the sources of an aspect are watched.
    package enum Sampling: Sendable {
        /// From the start: files announce their changes, and a subscriber that resumes wants every change counted.
        case always
        /// While an aspect has subscribers: sensors have to be read, which costs power.
        case onDemand
    }

    /// Everything that the bus has to know of an aspect.
    private struct Traits {
        /// Position among all aspects.
        let index: Int
        let sampling: Sampling
        /// False for an aspect that came later: strict clients refuse fields that their interface text does not have.
        var isDefault = true
        /// Events list the parts that changed, see ``Event/settings``.
        var isReportedInParts = false
    }

    private var traits: Traits {
        switch self {
        case .locale: Traits(index: 0, sampling: .always)
        case .defaults: Traits(index: 1, sampling: .always, isReportedInParts: true)
        case .battery: Traits(index: 2, sampling: .onDemand)
        case .proximity: Traits(index: 3, sampling: .onDemand)
        case .orientation: Traits(index: 4, sampling: .onDemand)
        }
    }

    /// Position in an ``AspectTable`` and in an ``AspectSet``.
    var index: Int { traits.index }
    /// When its sources are watched.
    package var sampling: Sampling { traits.sampling }
    /// Whether it is delivered to subscribers that name no aspects.
    package var isDefault: Bool { traits.isDefault }
    /// Whether its events list the parts that changed, since their values are too long to be sent.
    package var isReportedInParts: Bool { traits.isReportedInParts }
}

extension AspectSet {
    /// Language and formats.
    public static let locale = AspectSet(.locale)
    /// The user's settings.
    public static let defaults = AspectSet(.defaults)
    /// All battery packs together.
    public static let battery = AspectSet(.battery)
    /// Near or far.
    public static let proximity = AspectSet(.proximity)
    /// The pose.
    public static let orientation = AspectSet(.orientation)
}
