// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A set of aspects, in four bytes.
public struct AspectSet: OptionSet, Sendable, Hashable {
    /// One bit for each aspect.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Creates a set with one aspect.
    public init(_ aspect: Aspect) {
        rawValue = 1 << UInt32(aspect.index)
    }

    /// Creates a set from a list, which may repeat aspects.
    public init(_ aspects: some Sequence<Aspect>) {
        self = aspects.reduce(into: []) { $0.formUnion(AspectSet($1)) }
    }

    /// All aspects.
    public static let all = AspectSet(Aspect.allCases)
    /// The aspects that are delivered to subscribers that name none.
    public static let `default` = AspectSet(Aspect.allCases.filter(\.isDefault))

    /// Returns whether the aspect is in the set.
    public func contains(_ aspect: Aspect) -> Bool {
        contains(AspectSet(aspect))
    }

    /// The aspects of the set, in the order of ``Aspect``'s cases.
    public var aspects: [Aspect] {
        Aspect.allCases.filter { contains($0) }
    }
}
