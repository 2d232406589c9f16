// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Proximity`.
extension Proximity {
    var structure: JSON { .object(["state": .string(rawValue)]) }

    init(_ fields: Fields) throws(CallError) {
        self = try fields.word("state", else: .unknown)
    }
}
