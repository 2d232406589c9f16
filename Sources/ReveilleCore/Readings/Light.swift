// SPDX-License-Identifier: Apache-2.0

/// The light around the device.
public struct Light: Sendable, Hashable, Codable {
    /// The illuminance in lux; `nil` without a sensor.
    public var lux: Double?

    /// Creates a reading.
    public init(lux: Double?) {
        self.lux = lux
    }

    /// The reading of a device without a sensor.
    package static let unknown = Light(lux: nil)
}

extension Light: AspectDeclaration {
    /// The illuminance: `120 lux`.
    public var description: String {
        guard let lux else { return "unknown" }
        // A tenth of a lux is visible only in the dark, and a posted value may not fit an integer.
        return (lux < 10 ? "\((lux * 10).rounded() / 10)" : lux < 1e15 ? "\(Int(lux.rounded()))" : "\(lux)") + " lux"
    }

    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, place: 6) }
    @usableFromInline package static var blank: Light { .unknown }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.number("lux", &lux, in: .notNegative)
        coder.chart(in: " lux")
        coder.show(as: DashboardEntity("illuminance", "Illuminance", quantity: "illuminance", unit: "lx"))
    }

    package static var abbreviations: String? { ", or an illuminance in lux" }

    package mutating func abbreviate(_ word: String) -> Bool {
        guard let lux = Double(word), lux >= 0, lux.isFinite else { return false }
        self.lux = lux
        return true
    }
}
