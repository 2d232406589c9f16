// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire

extension StateForm {
    static var locale: StateForm {
        StateForm(
            mainField: "identifier",
            fields: [
                "identifier": .text, "languages": .list("a list of language tags"), "numeric": .text, "time": .text,
                "monetary": .text, "measurement": .text,
            ],
            alternative: ", or a locale name such as de_DE"
        ) { word throws(Failure) in
            // A name without a valid language would be read as the C locale.
            let syntax = /(C|POSIX|[A-Za-z]{2,3}([_\-][A-Za-z0-9]{2,8})*)(\.[A-Za-z0-9\-]+)?(@[A-Za-z0-9]+)?/
            guard word.wholeMatch(of: syntax) != nil else {
                throw Failure(.usage, "'\(word)' is not a locale name, such as de_DE or sr_RS@latin")
            }
            let locale = LocaleName(posix: word)
            let name = locale.identifier
            return PartialReading(
                .locale(
                    LocaleSettings(
                        identifier: name, languages: [locale.tag], numeric: name, time: name, monetary: name,
                        measurement: name)))
        }
    }
}
