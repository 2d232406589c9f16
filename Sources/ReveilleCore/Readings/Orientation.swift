// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How the device is held.
public struct Orientation: Sendable, Hashable, Codable {
    /// The seven poses that UIDevice knows.
    public enum Pose: String, Sendable, CaseIterable, Codable {
        /// There is no sensor, or no pose was clear yet.
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

        /// Whether it is one of the four upright poses.
        public var isPlanar: Bool {
            switch self {
            case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight: true
            case .unknown, .faceUp, .faceDown: false
            }
        }
    }

    /// The pose now.
    public var pose: Pose
    /// The last of the four upright poses; `nil` before the first.
    public var planar: Pose?

    /// Makes a reading of its parts.
    public init(pose: Pose, planar: Pose?) {
        self.pose = pose
        self.planar = planar
    }

    /// What a device without a sensor reads.
    public static let unknown = Orientation(pose: .unknown, planar: nil)
}

extension Orientation: CustomStringConvertible {
    /// `portrait`; of a pose that is not upright, the last one that was.
    public var description: String {
        guard let planar, planar != pose else { return pose.rawValue }
        return pose.rawValue + ", last upright " + planar.rawValue
    }
}
