// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleWire

extension StateForm {
    static var display: StateForm {
        StateForm(
            mainField: "brightness",
            fields: [
                "screens": .other("a list of screens, each with name, width, height, widthMM, heightMM and scale"),
                "screens.name": .text, "screens.width": .other("a number of pixels"),
                "screens.height": .other("a number of pixels"),
                "screens.widthMM": .other("a number of millimeters, or null"),
                "screens.heightMM": .other("a number of millimeters, or null"),
                "screens.scale": .other("a number above 0, or null"),
                "brightness": .level,
            ],
            alternative: ", or a brightness from 0 to 1"
        ) { word in
            guard let brightness = Double(word), 0...1 ~= brightness else { return nil }
            return try? PartialReading(parsing: "{\"brightness\":\(brightness)}")
        }
    }
}
