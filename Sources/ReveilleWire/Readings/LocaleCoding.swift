// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Locale`.
extension LocaleSettings: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.identifier, identifier)
        fields.add(.languages, languages)
        fields.add(.numeric, numeric)
        fields.add(.time, time)
        fields.add(.monetary, monetary)
        fields.add(.measurement, measurement)
    }

    init(_ fields: Fields) throws(CallError) {
        self.init(
            identifier: try fields.string("identifier"), languages: try fields.strings("languages"),
            numeric: try fields.string("numeric"), time: try fields.string("time"),
            monetary: try fields.string("monetary"), measurement: try fields.string("measurement"))
    }
}
