// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing

@Suite struct BatteryRuleTests {
    private func pack(_ attributes: [String: String]) -> PowerSupply { pack("BAT0", attributes) }

    private func pack(_ name: String, _ attributes: [String: String]) -> PowerSupply {
        let base = ["type": "Battery\n", "present": "1\n"]
        return PowerSupply(name: name, attributes: base.merging(attributes) { $1 })
    }

    private func supply(_ type: String, online: String, _ more: [String: String] = [:]) -> PowerSupply {
        PowerSupply(name: "AC", attributes: ["type": type, "online": online].merging(more) { $1 })
    }

    private func read(_ supplies: PowerSupply..., isMacBook: Bool = false) -> Battery {
        BatteryRule.reading(of: supplies, isMacBook: isMacBook)
    }

    /// The states for pairs of statuses, with two packs at 40% and without a supply device.
    static let pairs: [(String, String, Battery.State, Bool?)] = [
        ("Unknown", "Charging", .charging, true), ("Unknown", "Discharging", .unplugged, false),
        ("Charging", "Charging", .charging, true), ("Charging", "Discharging", .charging, true),
        ("Charging", "Full", .charging, true), ("Charging", "Not charging", .charging, true),
        ("Discharging", "Full", .unplugged, false), ("Discharging", "Not charging", .unplugged, false),
        ("Empty", "Charging", .charging, true), ("Full", "Full", .full, true),
        ("Not charging", "Not charging", .charging, true), ("Not charging", "Unknown", .charging, true),
        ("Full", "Unknown", .charging, true), ("Unknown", "Unknown", .unknown, nil),
        ("Discharging", "Discharging", .unplugged, false),
    ]

    @Test(arguments: pairs)
    func pairsOfPacksDetermineWhetherItIsPluggedIn(
        first: String, second: String, state: Battery.State, isPlugged: Bool?
    ) {
        for (one, other) in [(first, second), (second, first)] {
            let reading = read(
                pack("BAT0", ["status": one, "capacity": "40"]), pack("BAT1", ["status": other, "capacity": "40"]))
            #expect(reading.state == state, "\(one) and \(other)")
            #expect(reading.isPlugged == isPlugged)
            #expect(reading.level == 0.4)
        }
    }

    static let levels: [(attributes: [String: String], level: Double?)] = [
        (["capacity": "81"], 0.81), (["capacity": "0"], 0), (["capacity": "100"], 1), (["capacity": "104"], 1),
        (["capacity": "0", "energy_now": "30", "energy_full": "60"], 0.5),
        (["capacity": "-1", "energy_now": "30", "energy_full": "60"], 0.5),
        (["capacity": "NaN"], nil), (["capacity": ""], nil), (["capacity": "-NaN", "energy_full": "60"], nil),
        (["energy_now": "40", "energy_full_design": "80"], 0.5), (["energy_now": "90", "energy_full": "80"], 1),
        (["energy_avg": "20", "energy_full": "80"], 0.25), (["charge_now": "-20", "charge_full": "80"], 0.25),
        (["energy_now": "20", "charge_full": "80"], nil), (["energy_now": "20", "energy_full": "0"], nil),
        // Percentages and registers that no gauge means.
        (["capacity": "20160"], nil), (["capacity": "65535"], nil), (["capacity": "255"], nil),
        (["capacity": "110"], 1),
        (["capacity": "111", "energy_now": "30", "energy_full": "60"], 0.5),
        (["energy_now": "65535", "energy_full": "65535"], nil),
        (["charge_now": "65535000", "charge_full": "3000000"], nil),
        (["energy_now": "4294967295", "energy_full": "4294967295"], nil),
        (["charge_now": "1500000", "charge_full": "65535000", "charge_full_design": "3000000"], 0.5),
        (["charge_now": "18446744073709551615", "charge_full": "3000000"], nil),
        (["energy_now": "50000000", "energy_full": "1000000"], nil),
        (["capacity_level": "Low"], 0.10), (["capacity_level": "Unknown"], nil), ([:], nil),
    ]

    @Test(arguments: levels)
    func levelComesFromTheFirstValidAttribute(attributes: [String: String], level: Double?) {
        #expect(read(pack("BAT0", attributes)).level == level)
    }

    @Test func macBooksUseEnergyAndOthersCapacity() {
        let attributes = ["capacity": "90", "energy_now": "30", "energy_full": "60"]
        #expect(read(pack("BAT0", attributes), isMacBook: true).level == 0.5)
        #expect(read(pack("BAT0", attributes)).level == 0.9)
    }

    @Test func packsAreWeightedByTheirEnergy() throws {
        let energy = pack("BAT0", ["energy_now": "30000000", "energy_full": "60000000"])
        let charge = pack(
            "BAT1", ["charge_now": "2000000", "charge_full": "2000000", "voltage_min_design": "10000000"])
        #expect(abs(try #require(read(energy, charge).level) - 0.625) < 1e-9)
        let unknown = pack("BAT2", ["capacity": "10"])
        let mean = 1.6 / 3
        #expect(abs(try #require(read(energy, charge, unknown).level) - mean) < 1e-9)
    }

    @Test(arguments: [
        ["energy_full": "1e308"], ["charge_full": "1e-200", "voltage_now": "1e-200"],
        ["charge_full": "1e300", "voltage_now": "1e300"],
    ])
    func packsWithEnergiesOutOfRangeWeighEqually(energy: [String: String]) {
        let half = pack("BAT0", energy.merging(["capacity": "50"]) { $1 })
        let full = pack("BAT1", energy.merging(["capacity": "100"]) { $1 })
        #expect(read(half, full).level == 0.75)
    }

    @Test func onlyPlausiblePackCounts() {
        let nonsense = pack("BAT0", ["capacity": "65535", "energy_now": "4294967295", "energy_full": "4294967295"])
        let reading = read(nonsense, pack("BAT1", ["capacity": "40"]), supply("Mains", online: "1"))
        #expect(reading.level == 0.4)
        #expect(reading.state == .charging)
        #expect(reading.packs.map(\.level) == [nil, 0.4])
    }

    @Test func supplyWithAllBitsSetIsNone() {
        #expect(
            read(pack(["capacity": "50", "status": "Discharging"]), supply("USB", online: "65535")).isPlugged == false)
    }

    @Test(
        arguments: [
            ("Mains", "1", true), ("Mains", "0", false), ("USB", "2", true), ("Wireless", "1", true),
            ("Nothing", "1", true),
            ("UPS", "1", nil), ("USB", "", nil),
        ] as [(String, String, Bool?)])
    func suppliesDetermineWhetherItIsPluggedIn(type: String, online: String, isPlugged: Bool?) {
        #expect(read(pack("BAT0", ["capacity": "50"]), supply(type, online: online)).isPlugged == isPlugged)
    }

    @Test func peripheralsAreIgnored() {
        let mouse = PowerSupply(
            name: "hid", attributes: ["type": "Battery", "scope": "Device", "capacity": "10", "present": "1"])
        #expect(read(mouse) == .unknown)
        #expect(read(pack("BAT0", ["capacity": "50"]), mouse).packs.map(\.name) == ["BAT0"])
        let pad = supply("Mains", online: "1", ["scope": "Device"])
        #expect(read(pack("BAT0", ["capacity": "50", "status": "Discharging"]), pad).isPlugged == false)
    }

    @Test func portThatProvidesPowerIsNotASupply() {
        var port = supply("USB", online: "1")
        port.isSourcePort = true
        #expect(read(pack("BAT0", ["capacity": "50", "status": "Discharging"]), port).isPlugged == false)
    }

    @Test func emptySlotsAndDesktopsHaveNoBattery() {
        #expect(read(pack("BAT0", ["present": "0", "capacity": "50"])) == .unknown)
        #expect(read(supply("Mains", online: "1")) == .unknown)
    }

    @Test func drainingPackIsNotPluggedInByItsStatus() {
        let pack = pack("BAT0", ["status": "Charging", "current_now": "-500000", "capacity": "50"])
        #expect(read(pack).isPlugged == false)
        #expect(read(pack, supply("Mains", online: "0")).isPlugged == false)
        #expect(read(self.pack(["status": "Charging", "current_now": "-1", "capacity": "50"])).isPlugged == true)
    }

    @Test(
        arguments: [
            ("Charging", "99", Battery.State.charging), ("Charging", "100", .full),
            ("Not charging", "97", .charging),
            ("Full", "97", .full), ("Discharging", "50", .charging), ("Unknown", "80", .charging),
        ])
    func pluggedInIsFullByLevelOrByStatus(status: String, capacity: String, state: Battery.State) {
        let reading = read(pack("BAT0", ["status": status, "capacity": capacity]), supply("Mains", online: "1"))
        #expect(reading.state == state)
    }

    static let statuses: [([String], Battery.ChargeStatus)] = [
        (["Charging", "Discharging"], .charging),
        (["Discharging", "Full"], .discharging), (["Full", "Full"], .full), (["Full", "Not charging"], .notCharging),
        (["Full", "Unknown"], .unknown), (["full", "FULL"], .full), (["Not Charging", "Unknown"], .notCharging),
    ]

    @Test(arguments: statuses)
    func chargeStatusOfAllPacks(statuses: [String], expected: Battery.ChargeStatus) {
        let packs = statuses.enumerated().map { pack("BAT\($0)", ["status": $1]) }
        #expect(BatteryRule.reading(of: packs, isMacBook: false).chargeStatus == expected)
    }

    @Test func trendShowsWhetherAPackWithoutAStatusIsPluggedIn() {
        let unknown = pack(["status": "Unknown", "capacity": "40"])
        func reading(_ trend: EnergyTrend.Direction?, _ supplies: PowerSupply...) -> Battery {
            BatteryRule.reading(of: supplies, isMacBook: false, trend: trend)
        }
        #expect(reading(nil, unknown).state == .unknown)
        #expect(reading(.rising, unknown).state == .charging)
        #expect(reading(.falling, unknown).state == .unplugged)
        // The status remains what the driver reports.
        #expect(reading(.falling, unknown).chargeStatus == .unknown)
        // The trend only matters if nothing else shows it.
        #expect(reading(.falling, unknown, supply("Mains", online: "1")).state == .charging)
        #expect(reading(.rising, unknown, supply("Mains", online: "0")).state == .unplugged)
        #expect(reading(.rising, pack(["status": "Discharging", "capacity": "40"])).state == .unplugged)
    }

    @Test func energyOfAllPacksIsKnownIfEveryPackReportsIt() {
        let energy = pack("BAT0", ["energy_now": "30000000"])
        let charge = pack("BAT1", ["charge_now": "2000000", "voltage_min_design": "10000000"])
        let mouse = PowerSupply(name: "hid", attributes: ["type": "Battery", "scope": "Device", "energy_now": "1"])
        #expect(BatteryRule.energy(of: [energy, charge, mouse]) == 50)
        #expect(BatteryRule.energy(of: [energy, pack("BAT1", ["charge_now": "2000000"])]) == nil)
        #expect(BatteryRule.energy(of: [mouse]) == nil)
    }

    static let undetermined: [[String: String]] = [
        ["capacity": "0"], ["status": "Full"], ["capacity": "-1"], ["capacity": "50", "status": "Charging"],
        ["capacity": "50", "status": "Unknown"], ["capacity": "50"],
    ]

    @Test(arguments: undetermined)
    func otherAttributesAreNeededWithoutALevelOrASupply(attributes: [String: String]) {
        #expect(!BatteryRule.isDetermined([pack(attributes)], isMacBook: false))
    }

    @Test func otherAttributesAreNeededForSeveralPacksAndForMacBooks() {
        let one = pack("BAT0", ["capacity": "50", "status": "Full"])
        #expect(BatteryRule.isDetermined([one], isMacBook: false))
        #expect(!BatteryRule.isDetermined([one], isMacBook: true))
        #expect(!BatteryRule.isDetermined([one, pack("BAT1", ["capacity": "50"])], isMacBook: false))
        #expect(BatteryRule.isDetermined([pack(["capacity": "50"]), supply("Mains", online: "0")], isMacBook: false))
        #expect(BatteryRule.isDetermined([one, pack("BAT1", ["present": "0"])], isMacBook: false))
    }

    /// The texts of attributes that the rules distinguish.
    private static let texts: [String: [String]] = [
        "type": ["Battery", "Mains", "UPS", "USB"], "scope": ["Device", "System"], "present": ["0", "1"],
        "status": ["Charging", "Discharging", "Full", "Not charging"], "online": ["0", "1", "2", "no"],
        "capacity": ["-1", "0", "7", "81", "104"], "capacity_level": ["Low"], "current_now": ["-5", "5"],
    ]

    @Test func otherAttributesDoNotChangeADeterminedReading() {
        var random = SplitMix64(seed: 1)
        var determined = 0
        for _ in 0..<20_000 {
            let supplies = (0..<Int.random(in: 1...3, using: &random)).map { number in
                var attributes: [String: String] = [:]
                for name in PowerSupply.attributeNames where Int.random(in: 0..<3, using: &random) > 0 {
                    attributes[name] = (Self.texts[name] ?? ["0", "40000000", "50000000"]).randomElement(using: &random)
                }
                return PowerSupply(name: "\(number)", attributes: attributes, isSourcePort: .random(using: &random))
            }
            let decisive = supplies.map { supply in
                let names = supply.decisiveAttributes + ["type", "scope"]
                return PowerSupply(
                    name: supply.name, attributes: supply.attributes.filter { names.contains($0.key) },
                    isSourcePort: supply.isSourcePort)
            }
            let isMacBook = Int.random(in: 0..<4, using: &random) == 0
            guard BatteryRule.isDetermined(decisive, isMacBook: isMacBook) else { continue }
            determined += supplies.contains(where: \.isPack) ? 1 : 0
            #expect(
                BatteryRule.reading(of: decisive, isMacBook: isMacBook)
                    == BatteryRule.reading(of: supplies, isMacBook: isMacBook), "\(supplies)")
        }
        #expect(determined > 300)
    }
}
