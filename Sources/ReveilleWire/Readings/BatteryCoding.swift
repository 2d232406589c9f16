// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Battery`.
extension Battery: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.state, state.rawValue)
        fields.add(.level, level)
        fields.add(.plugged, isPlugged)
        fields.add(.chargeStatus, chargeStatus.rawValue)
        fields.add(.packs, packs)
    }

    init(_ fields: Fields) throws(CallError) {
        var packs: [Battery.Pack] = []
        for pack in try fields.structures("packs") {
            packs.append(
                Battery.Pack(
                    name: try pack.string("name"), level: try pack.level("level"),
                    chargeStatus: try pack.word("chargeStatus", else: .unknown)))
        }
        self.init(
            state: try fields.word("state", else: .unknown), level: try fields.level("level"),
            isPlugged: try fields.optionalBool("plugged"),
            chargeStatus: try fields.word("chargeStatus", else: .unknown), packs: packs)
    }
}

/// The interface's structure `BatteryPack`.
extension Battery.Pack: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.name, name)
        fields.add(.level, level)
        fields.add(.chargeStatus, chargeStatus.rawValue)
    }
}
