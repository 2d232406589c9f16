// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Network`.
extension Network: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.reachable, isReachable)
        fields.add(.interface, interface)
        fields.add(.kind, kind?.rawValue)
        fields.add(.addresses, addresses)
    }

    init(_ fields: borrowing Fields) throws(CallError) {
        self.init(
            isReachable: try fields.bool(.reachable), interface: try fields.optionalString(.interface),
            kind: try fields.optionalWord(.kind), addresses: try fields.strings(.addresses))
    }
}

extension Network.Kind: FieldWord {
    static let names = makeNames()
}
