// SPDX-License-Identifier: Apache-2.0

/// The source of all decisions in a simulation: a seed, or the bytes of an input.
///
/// When a fuzzer changes a byte, it changes a decision. Any life decided by a seed can be recorded as bytes that lead
/// to the same decisions.
package final class Choices {
    private enum Origin {
        case seed(SplitMix64)
        case bytes(ArraySlice<UInt8>)
    }

    private var origin: Origin
    /// All decisions so far, as an input that repeats them.
    package private(set) var taken: [UInt8] = []

    package init(seed: UInt64) {
        origin = .seed(SplitMix64(seed: seed))
    }

    /// Creates decisions from an input; every decision is 0 after the last byte.
    package init(bytes: [UInt8]) {
        origin = .bytes(bytes[...])
    }

    /// Whether all bytes of the input are used up; always false for a seed.
    package var isExhausted: Bool {
        if case .bytes(let bytes) = origin { bytes.isEmpty } else { false }
    }

    package func number(below limit: Int) -> Int {
        precondition(limit > 0, "limit must be positive")
        // One byte suffices for most decisions.
        let width = limit <= 1 << 8 ? 1 : limit <= 1 << 16 ? 2 : 8
        let number: UInt64
        switch origin {
        case .seed(var random):
            number = random.next() % UInt64(limit)
            origin = .seed(random)
        case .bytes(var bytes):
            let own = bytes.prefix(width)
            bytes = bytes.dropFirst(width)
            number = own.reversed().reduce(0) { $0 << 8 | UInt64($1) } % UInt64(limit)
            origin = .bytes(bytes)
        }
        for byte in 0..<width { taken.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(byte)))) }
        return Int(number)
    }

    /// Returns true with a probability of one in `count`, and false once the input is used up.
    package func happens(onceIn count: Int) -> Bool {
        number(below: count) == count - 1
    }

    package func one<Values: RandomAccessCollection>(of values: Values) -> Values.Element {
        values[values.index(values.startIndex, offsetBy: number(below: values.count))]
    }

    /// Returns a separate sequence for decisions that are too frequent to record.
    package func sequence() -> SplitMix64 {
        SplitMix64(seed: UInt64(number(below: 1 << 8)))
    }
}

/// A small, seeded random number generator that makes failures reproducible.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
