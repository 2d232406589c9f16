// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Power`.
extension Power: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.power, power)
        fields.add(.energy, energy)
        fields.add(.energyFull, energyFull)
        fields.add(.health, health)
        fields.add(.timeToEmpty, timeToEmpty)
        fields.add(.timeToFull, timeToFull)
        fields.add(.packs, packs)
    }

    init(_ fields: borrowing Fields) throws(CallError) {
        var packs: [Power.Pack] = []
        for pack in try fields.structures(.packs) { packs.append(try Power.Pack(pack)) }
        self.init(packs: packs)
        power = try fields.optionalNumber(.power)
        energy = try fields.optionalNumber(.energy)
        energyFull = try fields.optionalNumber(.energyFull)
        health = try fields.level(.health)
        timeToEmpty = try fields.optionalCount(.timeToEmpty)
        timeToFull = try fields.optionalCount(.timeToFull)
    }
}

/// The interface's structure `PowerPack`.
extension Power.Pack: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.name, name)
        fields.add(.vendor, vendor)
        fields.add(.model, model)
        fields.add(.technology, technology)
        fields.add(.energy, energy)
        fields.add(.energyFull, energyFull)
        fields.add(.energyFullDesign, energyFullDesign)
        fields.add(.power, power)
        fields.add(.voltage, voltage)
        fields.add(.temperature, temperature)
        fields.add(.cycles, cycles)
    }

    init(_ fields: borrowing Fields) throws(CallError) {
        self.init(name: try fields.string(.name))
        vendor = try fields.optionalString(.vendor)
        model = try fields.optionalString(.model)
        technology = try fields.optionalString(.technology)
        energy = try fields.optionalNumber(.energy)
        energyFull = try fields.optionalNumber(.energyFull)
        energyFullDesign = try fields.optionalNumber(.energyFullDesign)
        power = try fields.optionalNumber(.power)
        voltage = try fields.optionalNumber(.voltage)
        temperature = try fields.optionalNumber(.temperature)
        cycles = try fields.optionalCount(.cycles)
    }
}
