// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Display`.
extension Display: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.screens, screens)
        fields.add(.brightness, brightness)
    }

    init(_ fields: borrowing Fields) throws(CallError) {
        var screens: [Display.Screen] = []
        for screen in try fields.structures(.screens) {
            screens.append(
                Display.Screen(
                    name: try screen.string(.name), width: try screen.count(.width), height: try screen.count(.height),
                    widthMM: try screen.optionalCount(.widthMM), heightMM: try screen.optionalCount(.heightMM),
                    scale: try screen.optional(.scale) { $0.numberValue.flatMap { $0 > 0 ? $0 : nil } }))
        }
        self.init(screens: screens, brightness: try fields.level(.brightness))
    }
}

/// The interface's structure `Screen`.
extension Display.Screen: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.name, name)
        fields.add(.width, width)
        fields.add(.height, height)
        fields.add(.widthMM, widthMM)
        fields.add(.heightMM, heightMM)
        fields.add(.scale, scale)
    }
}
