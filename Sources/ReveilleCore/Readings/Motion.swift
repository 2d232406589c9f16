// SPDX-License-Identifier: Apache-2.0

/// One sample of the device's movement, in the axes of Core Motion.
///
/// The x axis points to the right of the upright display, y to its top, and z out of it.
public struct Motion: Sendable, Hashable, Codable {
    /// Three numbers along the axes.
    public struct Vector: Sendable, Hashable, Codable {
        /// The number along the axis to the right of the upright display.
        public var x: Double
        /// The number along the axis to the top of the display.
        public var y: Double
        /// The number along the axis out of the display.
        public var z: Double

        /// Creates a vector.
        public init(x: Double, y: Double, z: Double) {
            self.x = x
            self.y = y
            self.z = z
        }
    }

    /// The acceleration in g, including gravity; `nil` without an accelerometer.
    ///
    /// It is (0, 0, -1) for a device that lies on a table with its display up.
    public var acceleration: Vector?
    /// The rotation in radians per second, by the right-hand rule; `nil` without a gyroscope.
    public var rotation: Vector?
    /// The time at which the sensor took the sample, on the wall clock.
    ///
    /// It is the driver's time if that is within a second of the present, and otherwise the time at which the bus read
    /// the sample. It never decreases from sample to sample, even if the clock is set back, so the difference of two
    /// samples of one subscription is the step for an integration. ``Event/changedAt`` is slightly later: when the bus
    /// had the sample. The start of 1970 without sensors.
    public var takenAt: Timestamp

    /// Creates a sample.
    public init(acceleration: Vector?, rotation: Vector?, takenAt: Timestamp) {
        self.acceleration = acceleration
        self.rotation = rotation
        self.takenAt = takenAt
    }

    /// The reading of a device without sensors.
    package static let unknown = Motion(
        acceleration: nil, rotation: nil, takenAt: Timestamp(microseconds: 0))

    /// Whether no sensor gave a value.
    package var isEmpty: Bool { acceleration == nil && rotation == nil }
}

extension Motion.Vector: CustomStringConvertible {
    /// The length.
    public var length: Double { (x * x + y * y + z * z).squareRoot() }

    /// The numbers, rounded to hundredths.
    public var description: String { [x, y, z].map(\.hundredths).joined(separator: ", ") }
}

extension Motion: AspectDeclaration {
    /// The values in words: `acceleration 0.00, -1.00, 0.02 g, rotation 0.00, 0.00, 1.57 rad/s`.
    public var description: String {
        let parts = [
            acceleration.map { "acceleration \($0) g" }, rotation.map { "rotation \($0) rad/s" },
        ].compactMap { $0 }
        return parts.isEmpty ? "unknown" : parts.joined(separator: ", ")
    }

    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, kind: .stream, place: 7) }
    @usableFromInline package static var blank: Motion { .unknown }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.record("acceleration", &acceleration)
        try coder.record("rotation", &rotation)
        var microseconds = Int(takenAt.microseconds)
        try coder.integer("takenAt", &microseconds, atLeast: .min)
        coder.accepts("a number of microseconds since 1970")
        takenAt = Timestamp(microseconds: Int64(microseconds))
    }
}

extension Motion.Vector: Record {
    @usableFromInline package static var blank: Motion.Vector { Motion.Vector(x: 0, y: 0, z: 0) }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.number("x", &x, in: .any)
        try coder.number("y", &y, in: .any)
        try coder.number("z", &z, in: .any)
    }
}
