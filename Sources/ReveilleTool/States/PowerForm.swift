// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension StateForm {
    static var power: StateForm {
        let text = Values.other("a string, or null")
        return StateForm(
            mainField: "power",
            fields: [
                "power": .quantity, "energy": .quantity, "energyFull": .quantity, "health": .level,
                "timeToEmpty": .quantity,
                "timeToFull": .quantity, "packs": .other("a list of packs, each with a name"), "packs.name": .text,
                "packs.vendor": text, "packs.model": text, "packs.technology": text, "packs.energy": .quantity,
                "packs.energyFull": .quantity, "packs.energyFullDesign": .quantity, "packs.power": .quantity,
                "packs.voltage": .quantity, "packs.temperature": .quantity, "packs.cycles": .quantity,
            ],
            alternative: #", such as {"power": -5.2, "timeToEmpty": 14400}"#
        ) { _ in nil }
    }
}
