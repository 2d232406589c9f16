// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Locale`.
extension LocaleSettings {
    var structure: JSON {
        .object([
            "identifier": .string(identifier),
            "languages": .array(languages.map { .string($0) }),
            "numeric": .string(numeric),
            "time": .string(time),
            "monetary": .string(monetary),
            "measurement": .string(measurement),
        ])
    }

    init(_ fields: Fields) throws(CallError) {
        self.init(
            identifier: try fields.string("identifier"), languages: try fields.strings("languages"),
            numeric: try fields.string("numeric"), time: try fields.string("time"),
            monetary: try fields.string("monetary"), measurement: try fields.string("measurement"))
    }
}
