// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Lifecycle`.
extension Lifecycle: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.state, rawValue)
    }

    init(_ fields: borrowing Fields) throws(CallError) {
        // A state that a later version adds is between those that this one knows.
        self = try fields.word(.state, else: .inactive)
    }
}

extension Lifecycle: FieldWord {
    static let names = makeNames()
}
