// SPDX-License-Identifier: Apache-2.0

import Varlink

/// A generator whose sequence depends only on its state.
struct SplitMix64: RandomNumberGenerator {
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
    /// Returns a random value that is nested at most as deep as given.
    static func random(depth: Int, using random: inout SplitMix64) -> JSON {
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

    static func randomCount(using random: inout SplitMix64) -> Int {
        Int.random(in: 0...5, using: &random)
    }

    static func randomString(using random: inout SplitMix64) -> String {
        var string = ""
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            let limit: UInt32 = [0x20, 0x7F, 0x7FF, 0x10FFFF].randomElement(using: &random) ?? 0
            string.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) ?? "?")
        }
        return string
    }
}
