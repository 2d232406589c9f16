// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleWire

extension StateForm {
    static var shake: StateForm {
        StateForm(
            mainField: "peak", fields: ["peak": .other("a number of at least 0")], alternative: ", or the peak in g"
        ) { word in
            SysfsText.number(word).map { PartialReading(.shake(Shake(peak: $0))) }
        }
    }
}
