// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Testing
import Varlink

@Suite struct JSONRoundTripTests {
    @Test func randomValuesSurviveARoundTrip() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(state: seed)
        for _ in 0..<2000 {
            let value = JSON.random(depth: 5, using: &random)
            let bytes = value.bytes
            let parsed = try JSON.parse(bytes)
            try #require(parsed == value, "seed \(seed)")
            try #require(parsed.bytes == bytes, "seed \(seed)")
        }
    }

    @Test func randomDamageNeverTraps() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(state: seed)
        // Printed first, because a trap would lose the seed.
        print("randomDamageNeverTraps: seed \(seed)")
        for _ in 0..<2000 {
            var bytes = JSON.random(depth: 4, using: &random).bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...1, using: &random))
            // Damaged text may still be valid, and must then survive being written and parsed.
            if let value = try? JSON.parse(bytes) {
                #expect((try? JSON.parse(value.bytes)) == value, "seed \(seed)")
            }
        }
    }
}

private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension JSON {
    fileprivate static func random(depth: Int, using random: inout SplitMix64) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64(bitPattern: random.next()))
        case 3: return .integer(Int64.random(in: -100...100, using: &random))
        case 4:
            let number = Double(bitPattern: random.next())
            return number.isFinite ? .number(number) : 0.5
        case 5: return .string(randomString(using: &random))
        case 6: return .array((0..<randomCount(using: &random)).map { _ in .random(depth: depth - 1, using: &random) })
        default:
            return .object(
                JSONObject(
                    members: (0..<randomCount(using: &random)).map { _ in
                        JSONObject.Member(
                            name: randomString(using: &random), value: .random(depth: depth - 1, using: &random))
                    }))
        }
    }

    private static func randomCount(using random: inout SplitMix64) -> Int {
        Int.random(in: 0...5, using: &random)
    }

    private static func randomString(using random: inout SplitMix64) -> String {
        var string = ""
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            let limit: UInt32 = [0x20, 0x7F, 0x7FF, 0x10FFFF].randomElement(using: &random) ?? 0
            string.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) ?? "?")
        }
        return string
    }
}
