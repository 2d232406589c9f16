// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structures `Battery` and `BatteryPack`.
extension Battery {
    var structure: JSON {
        let packs = packs.map { pack in
            JSON.object([
                "name": .string(pack.name),
                "level": pack.level.map { .number($0) } ?? .null,
                "chargeStatus": .string(pack.chargeStatus.rawValue),
            ])
        }
        return .object([
            "state": .string(state.rawValue),
            "level": level.map { .number($0) } ?? .null,
            "plugged": isPlugged.map { .bool($0) } ?? .null,
            "chargeStatus": .string(chargeStatus.rawValue),
            "packs": .array(packs),
        ])
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
