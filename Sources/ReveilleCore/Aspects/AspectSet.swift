// SPDX-License-Identifier: Apache-2.0

/// A set of aspects, published names and patterns.
///
/// ```swift
/// let aspects: AspectSet = [.battery, "org.example.volume"]
/// ```
public struct AspectSet: SetAlgebra, Sendable, Hashable {
    /// One bit for each aspect of the device.
    private var bits: UInt32 = 0
    private var published: Set<Aspect> = []

    /// Creates an empty set.
    public init() {}

    /// Creates a set with one aspect.
    public init(_ aspect: Aspect) {
        insert(aspect)
    }

    /// All aspects of the device.
    public static let device = AspectSet(Aspect.device)
    /// The aspects that are delivered to subscribers that name none.
    public static let `default` = AspectSet(BuiltInAspect.allCases.filter(\.isDefault).map { Aspect($0) })

    /// The number of aspects, names and patterns.
    public var count: Int { bits.nonzeroBitCount + published.count }

    /// The aspects of the set, the device's own first.
    public var aspects: [Aspect] { builtIn.map { Aspect($0) } + published.sorted() }

    package var builtIn: [BuiltInAspect] { BuiltInAspect.allCases.filter { contains($0) } }

    /// The published names and patterns in the set.
    package var names: Set<Aspect> { published }

    package func contains(_ aspect: BuiltInAspect) -> Bool { bits & 1 << UInt32(aspect.index) != 0 }

    /// Returns whether an aspect, a name or a pattern is in the set; a pattern does not contain the names it matches.
    public func contains(_ aspect: Aspect) -> Bool {
        aspect.builtIn.map(contains) ?? published.contains(aspect)
    }

    /// Returns whether an aspect, a name or a pattern is in the set, or is a name that a pattern in it matches.
    package func covers(_ aspect: Aspect) -> Bool {
        contains(aspect) || published.contains { $0.matches(aspect) }
    }

    /// Adds an aspect, a name or a pattern.
    @discardableResult
    public mutating func insert(_ aspect: Aspect) -> (inserted: Bool, memberAfterInsert: Aspect) {
        guard let builtIn = aspect.builtIn else { return published.insert(aspect) }
        defer { bits |= 1 << UInt32(builtIn.index) }
        return (!contains(builtIn), aspect)
    }

    /// Removes an aspect, a name or a pattern.
    @discardableResult
    public mutating func remove(_ aspect: Aspect) -> Aspect? {
        guard let builtIn = aspect.builtIn else { return published.remove(aspect) }
        defer { bits &= ~(1 << UInt32(builtIn.index)) }
        return contains(builtIn) ? aspect : nil
    }

    /// Adds an aspect, or replaces it with itself.
    @discardableResult
    public mutating func update(with aspect: Aspect) -> Aspect? {
        insert(aspect).inserted ? nil : aspect
    }

    /// Adds the members of another set.
    public mutating func formUnion(_ other: AspectSet) {
        bits |= other.bits
        published.formUnion(other.published)
    }

    /// Removes the members that another set lacks.
    public mutating func formIntersection(_ other: AspectSet) {
        bits &= other.bits
        published.formIntersection(other.published)
    }

    /// Keeps the members that are in exactly one of the sets.
    public mutating func formSymmetricDifference(_ other: AspectSet) {
        bits ^= other.bits
        published.formSymmetricDifference(other.published)
    }

    /// Returns the members of both sets.
    public func union(_ other: AspectSet) -> AspectSet { changed { $0.formUnion(other) } }
    /// Returns the members that both sets have.
    public func intersection(_ other: AspectSet) -> AspectSet { changed { $0.formIntersection(other) } }
    /// Returns the members that are in exactly one of the sets.
    public func symmetricDifference(_ other: AspectSet) -> AspectSet {
        changed { $0.formSymmetricDifference(other) }
    }

    private func changed(_ change: (inout AspectSet) -> Void) -> AspectSet {
        var set = self
        change(&set)
        return set
    }
}
