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
