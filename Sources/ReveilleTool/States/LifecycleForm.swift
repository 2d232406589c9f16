// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille

extension StateForm {
    static var lifecycle: StateForm {
        StateForm(mainField: "state", fields: ["state": .words(Lifecycle.allCases.map(\.rawValue))])
    }
}
