// SPDX-License-Identifier: Apache-2.0

import ReveilleFleet
import ReveilleFleetCore
import ReveilleSimulation
import Testing

@Suite("Patterns of devices and aspects")
struct NamePatternTests {
    @Test(
        "a star stands for any characters, or none",
        arguments: [
            ("shop-*", "shop-7", true), ("shop-*", "shop-", true), ("shop-*", "shop", false), ("*", "a", true),
            ("*-7", "shop-7", true), ("*-7", "shop-77", false), ("s*p-*7", "shop-17", true), ("a*b*c", "abbc", true),
            ("a*b*c", "acb", false), ("**", "x", true), ("shop-7", "shop-7", true), ("shop-7", "shop-70", false),
            ("a*a", "a", false),
        ])
    func matching(pattern: String, name: String, isMatch: Bool) throws {
        #expect(try NamePattern(devices: pattern).matches(name) == isMatch)
    }

    @Test("patterns match like a naive search, even with many stars", arguments: 0..<50)
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let pattern = text(of: "ab*", count: 1...8, &random)
            let name = text(of: "ab", count: 1...10, &random)
            #expect(
                try NamePattern(devices: pattern).matches(name) == Self.matches(pattern[...], name[...]),
                "\(pattern) \(name)")
        }
    }

    private func text(of letters: String, count: ClosedRange<Int>, _ random: inout SplitMix64) -> String {
        String((0..<Int.random(in: count, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
    }

    private static func matches(_ pattern: Substring, _ name: Substring) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == "*" {
            return matches(pattern.dropFirst(), name) || !name.isEmpty && matches(pattern, name.dropFirst())
        }
        return name.first == first && matches(pattern.dropFirst(), name.dropFirst())
    }

    @Test("the wildcard of MQTT means all devices, and names that cannot exist are refused")
    func names() throws {
        #expect(try NamePattern(devices: "+").matches("shop-7"))
        #expect(try NamePattern(aspects: "org.example.*").matches("org.example.mode"))
        for text in ["", "a/b", "a b", "shop-#", String(repeating: "x", count: 65)] {
            #expect(throws: FleetError.self) { try NamePattern(devices: text) }
        }
        for text in ["", "battery/#", "a b"] { #expect(throws: FleetError.self) { try NamePattern(aspects: text) } }
    }
}
