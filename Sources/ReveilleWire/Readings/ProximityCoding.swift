// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Proximity`.
extension Proximity: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.state, rawValue)
    }

    init(_ fields: Fields) throws(CallError) {
        self = try fields.word("state", else: .unknown)
    }
}
