// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing

/// Supplies whose drivers write anything.
@Suite struct ArbitrarySuppliesTests {
    private static let words: [String: [String]] = [
        "type": ["Battery", "Battery", "Battery", "Mains", "USB", "UPS"], "scope": ["System", "Device"],
        "present": ["1", "1", "0"], "status": ["Charging", "Discharging", "Full", "Not charging", "Unknown"],
        "online": ["0", "1", "2"], "capacity_level": ["Low", "Full", "Unknown"],
    ]
    /// Registers without a value, other units, signs, and texts without a number.
    private static let nonsense = [
        "65535", "65535000", "655350000", "32767", "4294967295", "2147483647000", "18446744073709551615", "-1",
        "-65535",
        "20160", "1e308", "-1e308", "1e-308", "99999999999999999999", "NaN", "inf", "", " ", "\n", "0x10", "ja",
        "\u{FFFD}",
    ]

    private static func text(of attribute: String, using random: inout SplitMix64) -> String {
        let plausible =
            attribute.hasPrefix("capacity")
            ? Int.random(in: 0...110, using: &random) : 1_000 * Int.random(in: 0...60_000, using: &random)
        let texts = words[attribute] ?? ["\(plausible)"]
        return (Int.random(in: 0..<3, using: &random) == 0 ? nonsense : texts).randomElement(using: &random) ?? ""
    }

    private static func supplies(using random: inout SplitMix64) -> [PowerSupply] {
        (0..<Int.random(in: 0...4, using: &random)).map { number in
            var attributes = ["type": "Battery"]
            for name in PowerSupply.detailNames where Bool.random(using: &random) {
                attributes[name] = text(of: name, using: &random)
            }
            return PowerSupply(name: "\(number)", attributes: attributes, isSourcePort: false)
        }
    }

    @Test func readingsStayWithinTheirUnits() {
        var random = SplitMix64(seed: 44)
        for _ in 0..<20_000 {
            let supplies = Self.supplies(using: &random)
            let battery = BatteryRule.reading(of: supplies, isMacBook: .random(using: &random))
            for level in [battery.level] + battery.packs.map(\.level) { #expect(level.map { 0...1 ~= $0 } ?? true) }
            let packs = supplies.filter(\.isPack)
            if battery.state == .full, battery.level == nil {
                #expect(packs.allSatisfy { $0.chargeStatus == .full })
            }
            let power = PowerRule.reading(of: supplies)
            #expect(power.packs.count == packs.count)
            for pack in power.packs {
                #expect(
                    [pack.energy, pack.energyFull, pack.energyFullDesign].allSatisfy {
                        $0.map { 0...1_000 ~= $0 } ?? true
                    })
                #expect(pack.power.map { abs($0) <= 500 } ?? true)
                #expect(pack.voltage.map { 1...60 ~= $0 } ?? true)
            }
            #expect(power.energy == nil || power.packs.allSatisfy { $0.energy != nil })
            #expect(power.health.map { 0...1 ~= $0 } ?? true)
            for mean in [power.power, 7.5, -7.5] {
                let timed = PowerRule.reading(power, atMean: mean)
                #expect([timed.secondsToEmpty, timed.secondsToFull].allSatisfy { $0.map { $0 >= 0 } ?? true })
            }
        }
    }

    @Test func packWithNonsenseOnlyIsUnknown() {
        var random = SplitMix64(seed: 45)
        let numbers = PowerSupply.detailNames.filter {
            Self.words[$0] == nil && !["manufacturer", "model_name", "technology"].contains($0)
        }
        for _ in 0..<2_000 {
            var attributes = ["type": "Battery", "status": "Charging"]
            // These two can be right in a unit that is too large.
            let nonsense = Self.nonsense.filter { $0 != "20160" && $0 != "1e-308" }
            for name in numbers { attributes[name] = nonsense.randomElement(using: &random) }
            let pack = PowerSupply(name: "BAT0", attributes: attributes)
            let reading = BatteryRule.reading(of: [pack], isMacBook: .random(using: &random))
            #expect(reading.level == nil, "\(attributes)")
            #expect(reading.state == .charging || reading.state == .unplugged)
        }
    }
}
