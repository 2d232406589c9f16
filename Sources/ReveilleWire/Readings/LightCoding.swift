// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Light`.
extension Light: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.lux, lux)
    }

    init(_ fields: borrowing Fields) throws(CallError) {
        self.init(lux: try fields.optional(.lux) { $0.numberValue.flatMap { $0 >= 0 ? $0 : nil } })
    }
}
