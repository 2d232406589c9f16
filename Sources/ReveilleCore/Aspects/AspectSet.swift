// SPDX-License-Identifier: Apache-2.0

/// A set of aspects, published names and patterns, fast enough for deliveries; public calls have a `Set<Aspect>`.
package struct AspectSet: ExpressibleByArrayLiteral, Sendable, Hashable {
    /// One bit for each aspect of the device.
    private var bits: UInt32 = 0
    private var published: Set<Aspect> = []

    package init(_ aspects: some Sequence<Aspect>) {
        for aspect in aspects { insert(aspect) }
    }

    package init(_ aspect: Aspect) {
        insert(aspect)
    }

    package init(arrayLiteral aspects: Aspect...) {
        self.init(aspects)
    }

    /// All aspects of the device.
    package static let device = AspectSet(Aspect.device)
    /// The aspects that are delivered to subscribers that name none.
    package static let `default` = AspectSet(BuiltInAspect.allCases.filter(\.isDefault).map { Aspect($0) })

    package var isEmpty: Bool { count == 0 }
    package var count: Int { bits.nonzeroBitCount + published.count }

    /// The aspects of the set, the device's own first.
    package var aspects: [Aspect] { builtIn.map { Aspect($0) } + published.sorted() }

    package var builtIn: [BuiltInAspect] { BuiltInAspect.allCases.filter { contains($0) } }

    /// The published names and patterns in the set.
    package var names: Set<Aspect> { published }

    package func contains(_ aspect: BuiltInAspect) -> Bool { bits & 1 << UInt32(aspect.index) != 0 }

    /// Returns whether an aspect, a name or a pattern is in the set; a pattern does not contain the names it matches.
    package func contains(_ aspect: Aspect) -> Bool {
        aspect.builtIn.map(contains) ?? published.contains(aspect)
    }

    /// Returns whether an aspect, a name or a pattern is in the set, or is a name that a pattern in it matches.
    package func covers(_ aspect: Aspect) -> Bool {
        contains(aspect) || published.contains { $0.matches(aspect) }
    }

    /// Adds an aspect, a name or a pattern; returns whether it is new.
    @discardableResult
    package mutating func insert(_ aspect: Aspect) -> Bool {
        guard let builtIn = aspect.builtIn else { return published.insert(aspect).inserted }
        defer { bits |= 1 << UInt32(builtIn.index) }
        return !contains(builtIn)
    }

    /// Returns the members of both sets.
    package func union(_ other: AspectSet) -> AspectSet {
        var all = self
        all.bits |= other.bits
        all.published.formUnion(other.published)
        return all
    }

    /// Returns the members that another set lacks.
    package func subtracting(_ other: AspectSet) -> AspectSet {
        var rest = self
        rest.bits &= ~other.bits
        rest.published.subtract(other.published)
        return rest
    }
}
