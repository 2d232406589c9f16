// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Orientation`.
extension Orientation: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.pose, pose.rawValue)
        fields.add(.planar, planar?.rawValue)
    }

    init(_ fields: Fields) throws(CallError) {
        let pose: Orientation.Pose = try fields.word("pose", else: .unknown)
        let planar: Orientation.Pose? = try fields.optionalWord("planar")
        guard planar?.isPlanar != false else { throw fields.invalid("planar") }
        self.init(pose: pose, planar: planar)
    }
}
