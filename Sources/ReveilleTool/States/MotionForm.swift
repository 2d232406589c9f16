// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille

extension StateForm {
    static var motion: StateForm {
        let vector = Values.other("an object with x, y and z, or null")
        return StateForm(
            mainField: "acceleration",
            fields: [
                "acceleration": vector, "acceleration.x": .number, "acceleration.y": .number,
                "acceleration.z": .number, "rotation": vector, "rotation.x": .number, "rotation.y": .number,
                "rotation.z": .number, "takenAt": .other("a number of microseconds since 1970"),
            ],
            alternative: " with the fields acceleration, rotation and takenAt"
        ) { _ in nil }
    }
}
