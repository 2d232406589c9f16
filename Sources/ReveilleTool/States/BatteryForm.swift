// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille

extension StateForm {
    static var battery: StateForm {
        let chargeStatus = Values.words(Battery.ChargeStatus.allCases.map(\.rawValue))
        return StateForm(
            mainField: "state",
            fields: [
                "state": .words(Battery.State.allCases.map(\.rawValue)), "level": .level, "plugged": .flag,
                "chargeStatus": chargeStatus,
                "packs": .other("a list of packs, each with name, level and chargeStatus"),
                "packs.name": .text, "packs.level": .level, "packs.chargeStatus": chargeStatus,
            ])
    }
}
