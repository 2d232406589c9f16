// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleWire

extension StateForm {
    static var light: StateForm {
        StateForm(
            mainField: "lux", fields: ["lux": .number],
            alternative: ", or an illuminance in lux"
        ) { word in
            guard let lux = Double(word), lux >= 0, lux.isFinite else { return nil }
            return PartialReading(.light(Light(lux: lux)))
        }
    }
}
