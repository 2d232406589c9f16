// SPDX-License-Identifier: Apache-2.0

/// The orientation of the device.
public struct Orientation: Sendable, Hashable, Codable {
    /// A pose, as in UIDevice.
    @nonexhaustive public enum Pose: String, Sendable, CaseIterable, Codable {
        /// The device has no sensor, or its pose has not been clear yet.
        case unknown
        /// The top edge of the display is up.
        case portrait
        /// The bottom edge is up.
        case portraitUpsideDown
        /// The right edge is up.
        case landscapeLeft
        /// The left edge is up.
        case landscapeRight
        /// Flat, the display up.
        case faceUp
        /// Flat, the display down.
        case faceDown

        /// Whether this is one of the four upright poses.
        public var isPlanar: Bool {
            switch self {
            case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight: true
            case .unknown, .faceUp, .faceDown: false
            }
        }
    }

    /// The current pose.
    public var pose: Pose
    /// The last upright pose; `nil` before the first, and for a pose that a later version adds.
    public var planar: Pose?

    /// Creates a reading.
    public init(pose: Pose, planar: Pose?) {
        self.pose = pose
        self.planar = planar
    }

    /// The reading of a device without a sensor.
    package static let unknown = Orientation(pose: .unknown, planar: nil)
}

extension Orientation: AspectDeclaration {
    /// The pose, and the last upright one: `faceUp, last upright portrait`.
    public var description: String {
        guard let planar, planar != pose else { return pose.rawValue }
        return pose.rawValue + ", last upright " + planar.rawValue
    }

    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, isDefault: true, place: 4) }
    @usableFromInline package static var blank: Orientation { .unknown }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.word("pose", &pose, else: .unknown)
        coder.show(as: DashboardEntity("pose", "Pose"))
        try coder.word("planar", &planar) { $0.isPlanar }
    }

    package mutating func abbreviate(_ word: String) -> Bool {
        guard let pose = Pose(rawValue: word) else { return false }
        self.pose = pose
        if pose.isPlanar { planar = pose }
        return true
    }
}

extension Orientation.Pose: GrowingWords {}
