// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Orientation`.
extension Orientation {
    var structure: JSON {
        .object([
            "pose": .string(pose.rawValue),
            "planar": planar.map { .string($0.rawValue) } ?? .null,
        ])
    }

    init(_ fields: Fields) throws(CallError) {
        let pose: Orientation.Pose = try fields.word("pose", else: .unknown)
        let planar: Orientation.Pose? = try fields.optionalWord("planar")
        guard planar?.isPlanar != false else { throw fields.invalid("planar") }
        self.init(pose: pose, planar: planar)
    }
}
