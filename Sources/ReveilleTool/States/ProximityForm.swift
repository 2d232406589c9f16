// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille

extension StateForm {
    static var proximity: StateForm {
        StateForm(mainField: "state", fields: ["state": .words(Proximity.allCases.map(\.rawValue))])
    }
}
