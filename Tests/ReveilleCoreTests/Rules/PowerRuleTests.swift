// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct PowerRuleTests {
    private func pack(_ attributes: [String: String]) -> PowerSupply { pack("BAT0", attributes) }

    private func pack(_ name: String, _ attributes: [String: String]) -> PowerSupply {
        PowerSupply(name: name, attributes: ["type": "Battery\n"].merging(attributes) { $1 })
    }

    private func read(_ supplies: PowerSupply...) -> Power { PowerRule.reading(of: supplies) }

    private static let laptop = [
        "status": "Discharging", "energy_now": "31250000", "energy_full": "48500000",
        "energy_full_design": "57000000", "power_now": "7500000", "voltage_now": "11400000", "cycle_count": "312",
        "technology": "Li-ion", "manufacturer": "SMP\n", "model_name": "DELL 1234\n", "temp": "253",
    ]

    @Test func valuesHaveTheUnitsOfTheInterface() throws {
        let power = read(pack(Self.laptop))
        #expect([power.power, power.energy, power.energyFull] == [-7.5, 31.25, 48.5])
        #expect(power.health == 0.851)
        let pack = try #require(power.packs.first)
        #expect([pack.vendor, pack.model, pack.technology] == ["SMP", "DELL 1234", "Li-ion"])
        #expect([pack.energy, pack.energyFull, pack.energyFullDesign] == [31.25, 48.5, 57])
        #expect([pack.power, pack.voltage, pack.temperature] == [-7.5, 11.4, 25.3])
        #expect(pack.cycles == 312)
    }

    static let powers: [(attributes: [String: String], power: Double?)] = [
        (["status": "Discharging", "power_now": "5000000"], -5),
        (["status": "Discharging", "power_now": "-5000000"], -5),
        (["status": "Charging", "power_now": "5000000"], 5), (["status": "Charging", "power_now": "-5000000"], -5),
        (["status": "Full", "power_now": "0"], 0), (["status": "Not charging", "power_now": "5000000"], 5),
        (["status": "Unknown", "power_now": "-5000000"], -5), (["power_now": "5000000"], 5),
        (["status": "Discharging", "current_now": "500000", "voltage_now": "4000000"], -2),
        (["status": "Discharging", "current_now": "-500000", "voltage_now": "4000000"], -2),
        (["status": "Charging", "current_now": "500000", "voltage_min_design": "4000000"], 2),
        (["status": "Charging", "power_now": "0", "current_now": "500000", "voltage_now": "4000000"], 2),
        (["status": "Charging", "current_now": "500000"], nil), (["status": "Charging"], nil),
        (["status": "Discharging", "power_now": "4294967295000"], nil),
        (["status": "Discharging", "power_avg": "3000000"], -3),
        // Each can be right, but not both.
        (["status": "Discharging", "current_now": "90000000", "voltage_now": "90000000"], nil),
    ]

    @Test(arguments: powers) func powerIsPositiveWhileThePackCharges(attributes: [String: String], power: Double?) {
        #expect(read(pack(attributes)).power == power)
    }

    @Test func idlePackOfAnUnpluggedMachineDischarges() {
        let supply = PowerSupply(name: "AC", attributes: ["type": "Mains", "online": "0"])
        #expect(read(pack(["status": "Full", "power_now": "5000000"]), supply).power == -5)
    }

    static let energies: [(attributes: [String: String], energy: Double?, full: Double?, health: Double?)] = [
        (
            [
                "charge_now": "2000000", "charge_full": "3000000", "charge_full_design": "4000000",
                "voltage_min_design": "3700000",
            ], 7.4, 11.1, 0.75
        ),
        // Charges cannot be converted without a voltage, but compared.
        (["charge_now": "2000000", "charge_full": "3000000", "charge_full_design": "4000000"], nil, nil, 0.75),
        // Energies and charges are not mixed.
        (["energy_now": "20000000", "charge_full": "3000000", "voltage_now": "3700000"], 20, nil, nil),
        // Millis in place of micros.
        (["energy_now": "31250", "energy_full": "48500", "energy_full_design": "57000"], nil, nil, nil),
        (["charge_now": "2000", "charge_full": "3000", "voltage_now": "3700000"], nil, nil, nil),
        (["energy_now": "1000000000000000000", "energy_full": "1000000000000000000"], nil, nil, nil),
        // A driver that reports 0 does not know.
        (["energy_now": "20000000", "energy_full": "0", "energy_full_design": "57000000"], 20, nil, nil),
        (["energy_now": "-20000000", "energy_full": "-1"], nil, nil, nil),
        (["energy_now": "NaN", "energy_full": "inf", "energy_full_design": ""], nil, nil, nil),
        // Energies of different units.
        (["energy_now": "900000000", "energy_full": "50000000"], nil, 50, nil),
        // Registers with all bits set, and a product that is as wrong as its parts.
        (["energy_now": "4294967295", "energy_full": "48500000"], nil, 48.5, nil),
        (["charge_now": "65535000", "charge_full": "3000000", "voltage_now": "3700000"], nil, 11.1, nil),
        (["charge_now": "200000000", "charge_full": "200000000", "voltage_now": "50000000"], nil, nil, nil),
        // A full pack of three times its design.
        (["energy_full": "121000000", "energy_full_design": "42000000"], nil, 121, nil),
        // A new pack holds more than it should.
        (["energy_full": "60000000", "energy_full_design": "57000000"], nil, 60, 1),
        (["energy_avg": "20000000"], 20, nil, nil), ([:], nil, nil, nil),
    ]

    @Test(arguments: energies)
    func energiesThatCannotBeRightAreUnknown(
        attributes: [String: String], energy: Double?, full: Double?, health: Double?
    ) {
        let power = read(pack(attributes))
        #expect([power.energy, power.energyFull, power.health] == [energy, full, health])
    }

    static let details: [(name: String, text: String)] = [
        ("cycle_count", "0"), ("cycle_count", "-1"), ("cycle_count", "18446744073709551615"), ("temp", "2982"),
        ("temp", "-2731"), ("temp", "25300"), ("voltage_now", "3700"), ("voltage_now", "0"),
        ("voltage_now", "65535000"), ("voltage_now", "65410000"), ("cycle_count", "65535"), ("temp", "65535"),
        ("technology", "Unknown"),
        ("manufacturer", " \n"), ("model_name", ""),
    ]

    @Test(arguments: details) func detailsThatCannotBeRightAreUnknown(name: String, text: String) {
        #expect(read(pack([name: text])).packs == [Power.Pack(name: "BAT0")])
    }

    @Test func totalsNeedEveryPack() {
        var other = Self.laptop
        (other["energy_full_design"], other["power_now"]) = ("48500000", "2500000")
        let both = read(pack("BAT1", other), pack("BAT0", Self.laptop))
        #expect(both.packs.map(\.name) == ["BAT0", "BAT1"])
        #expect([both.power, both.energy, both.energyFull] == [-10, 62.5, 97])
        #expect(both.health == 0.919)
        let one = read(pack("BAT0", Self.laptop), pack("BAT1", ["capacity": "5"]))
        #expect([one.power, one.energy, one.energyFull, one.health] == [nil, nil, nil, nil])
        #expect(read() == .unknown)
    }

    @Test func peripheralsEmptySlotsAndSuppliesHaveNoPower() {
        let mouse = pack("hid", ["scope": "Device", "power_now": "1000000"])
        #expect(read(mouse, pack("BAT0", ["present": "0", "power_now": "1000000"])) == .unknown)
    }

    @Test func timesFollowTheFlowOfCurrent() {
        let power = read(pack(Self.laptop))
        func times(_ mean: Double?) -> [Int?] {
            let reading = PowerRule.reading(power, atMean: mean)
            return [reading.secondsToEmpty, reading.secondsToFull]
        }
        #expect(times(-7.5) == [15_000, nil])
        #expect(times(17.25) == [nil, 3_600])
        for mean in [nil, 0, 0.001, -0.001, .leastNonzeroMagnitude] { #expect(times(mean) == [nil, nil]) }
        // More than ten days.
        #expect(times(-0.1) == [nil, nil])
        #expect(times(-1e300) == [0, nil])
    }

    @Test func fullPackIsFullNow() {
        var attributes = Self.laptop
        attributes["energy_now"] = "49000000"
        #expect(PowerRule.reading(read(pack(attributes)), atMean: 1).secondsToFull == 0)
        // The design stands in for an unknown full energy.
        attributes["energy_full"] = nil
        #expect(PowerRule.reading(read(pack(attributes)), atMean: 8).secondsToFull == 3_600)
    }

    @Test func healthOfPacksNeedsTheHealthOfEach() {
        let wrong = pack("BAT1", ["energy_full": "121000000", "energy_full_design": "42000000"])
        #expect(read(pack("BAT0", Self.laptop), wrong).health == nil)
    }

    @Test func ignoredAttributeHasAReason() {
        let supply = pack(["energy_full": "48500\n", "cycle_count": "0", "power_now": "7500000"])
        #expect(
            SupplyQuantity.doubt("energy_full", of: supply)
                == "energy_full=48500 is ignored: it is not from 0.1 to 1000.0 Wh")
        #expect(
            SupplyQuantity.doubt("energy_now", of: pack(["energy_now": "4294967295"]))
                == "energy_now=4294967295 is ignored: all bits of the register are set")
        #expect(SupplyQuantity.doubt("power_now", of: supply) == nil)
        #expect(SupplyQuantity.doubt("temp", of: supply) == nil)
    }
}
