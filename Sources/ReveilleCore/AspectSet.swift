// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A set of aspects, in the size of a byte.
public struct AspectSet: OptionSet, Sendable, Hashable {
    /// One bit an aspect.
    public let rawValue: UInt8

    /// Makes a set of its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Makes a set of one aspect.
    public init(_ aspect: Aspect) {
        rawValue = 1 << UInt8(aspect.index)
    }

    /// Makes a set of a list of aspects; repetitions are allowed.
    public init(_ aspects: some Sequence<Aspect>) {
        self = aspects.reduce(into: []) { $0.formUnion(AspectSet($1)) }
    }

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
    /// All five aspects.
    public static let all = AspectSet(Aspect.allCases)

    /// Says whether the aspect is in the set.
    public func contains(_ aspect: Aspect) -> Bool {
        contains(AspectSet(aspect))
    }

    /// The aspects of the set, in the order of ``Aspect``'s cases.
    public var aspects: [Aspect] {
        Aspect.allCases.filter { contains($0) }
    }
}
