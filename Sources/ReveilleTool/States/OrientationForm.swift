// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleWire

extension StateForm {
    static var orientation: StateForm {
        let poses = Orientation.Pose.allCases
        let planar = poses.filter(\.isPlanar).map(\.rawValue)
        let words = poses.map(\.rawValue)
        return StateForm(
            mainField: "pose", fields: ["pose": .words(words), "planar": .words(planar, orNull: true)],
            alternative: ", or \(Suggestion.list(words))"
        ) { word in
            guard words.contains(word) else { return nil }
            return PartialReading(words: planar.contains(word) ? ["pose": word, "planar": word] : ["pose": word])
        }
    }
}
