// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension StateForm {
    static var power: StateForm {
        let text = Values.other("a string, or null")
        return StateForm(
            mainField: "power",
            fields: [
                "power": .number, "energy": .number, "energyFull": .number, "health": .level,
                "timeToEmpty": .number,
                "timeToFull": .number, "packs": .other("a list of packs, each with a name"), "packs.name": .text,
                "packs.vendor": text, "packs.model": text, "packs.technology": text, "packs.energy": .number,
                "packs.energyFull": .number, "packs.energyFullDesign": .number, "packs.power": .number,
                "packs.voltage": .number, "packs.temperature": .number, "packs.cycles": .number,
            ],
            alternative: #", such as {"power": -5.2, "timeToEmpty": 14400}"#
        ) { _ in nil }
    }
}
