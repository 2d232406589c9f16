// SPDX-License-Identifier: Apache-2.0

/// A shake of the device.
///
/// The number of shakes is ``Event/changeCount``, since each of them counts.
public struct Shake: Sendable, Hashable, Codable {
    /// The greatest acceleration of the last shake in g; 0 before the first.
    public var peak: Double

    /// Creates a reading.
    public init(peak: Double) {
        self.peak = peak
    }

    /// The reading before the first shake.
    package static let unknown = Shake(peak: 0)
}

extension Shake: AspectDeclaration {
    /// The peak: `2.41 g`.
    public var description: String {
        peak > 0 ? peak.hundredths + " g" : "none"
    }

    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, kind: .tally, place: 8) }
    @usableFromInline package static var blank: Shake { .unknown }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        // An acceleration has a length.
        try coder.number("peak", &peak, in: .notNegative)
        coder.accepts("a number of at least 0")
        coder.show(as: DashboardEntity("shake", "Shake", icon: "mdi:vibrate"))
    }

    package static var abbreviations: String? { ", or the peak in g" }

    package mutating func abbreviate(_ word: String) -> Bool {
        guard let peak = SysfsText.number(word) else { return false }
        self.peak = peak
        return true
    }
}
