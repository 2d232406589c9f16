// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Shake`.
extension Shake: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.peak, peak)
    }

    init(_ fields: borrowing Fields) throws(CallError) {
        let peak = try fields.number(.peak)
        // An acceleration has a length.
        guard peak >= 0 else { throw fields.invalid(.peak) }
        self.init(peak: peak)
    }
}
