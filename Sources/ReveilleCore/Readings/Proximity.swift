// SPDX-License-Identifier: Apache-2.0

/// Whether something is close to the front of the device.
@nonexhaustive public enum Proximity: String, Sendable, CaseIterable, Codable, CustomStringConvertible {
    /// Something is close, such as an ear or a pocket.
    case near
    /// Nothing is close.
    case far
    /// The device has no sensor, or it has not been read yet.
    case unknown

    /// Decodes a word; a word that a later version adds is ``unknown``.
    ///
    /// - Throws: `DecodingError` if the value is not a text.
    public init(from decoder: any Decoder) throws {
        self = Proximity(rawValue: try String(from: decoder)) ?? .unknown
    }

    /// The name on the wire.
    public var description: String { rawValue }
}

extension Proximity: AspectDeclaration {
    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, isDefault: true, place: 5) }
    @usableFromInline package static var blank: Proximity { .unknown }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        // Something near is an occupancy: Home Assistant has no better class, and displays "detected" and "clear".
        try coder.word("state", &self, else: .unknown)
        coder.show(as: DashboardEntity("near", "Proximity", quantity: "occupancy", on: "near"))
    }

    package mutating func abbreviate(_ word: String) -> Bool {
        guard let state = Proximity(rawValue: word) else { return false }
        self = state
        return true
    }
}

extension Proximity: WordSet {}
