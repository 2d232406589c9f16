// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Decides what happens in a simulation: by a seed, or by the bytes of an input.
///
/// A fuzzer that changes a byte changes a decision. Each life that a seed decides on can be written down as bytes
/// that decide the same.
package final class Choices {
    private enum Origin {
        case seed(SplitMix64)
        case bytes(ArraySlice<UInt8>)
    }

    private var origin: Origin
    /// All that was decided, as an input that decides the same.
    package private(set) var taken: [UInt8] = []

    /// Decides by a random sequence.
    package init(seed: UInt64) {
        origin = .seed(SplitMix64(seed: seed))
    }

    /// Decides by an input, and always for 0 once its bytes are used up.
    package init(bytes: [UInt8]) {
        origin = .bytes(bytes[...])
    }

    /// Whether an input is used up; a seed never is.
    package var isExhausted: Bool {
        if case .bytes(let bytes) = origin { bytes.isEmpty } else { false }
    }

    /// A number from 0 up to a limit, which it is below.
    package func number(below limit: Int) -> Int {
        precondition(limit > 0, "there is nothing to choose from")
        // One byte is enough for most.
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

    /// True once in so many times; false once an input is used up.
    package func happens(onceIn count: Int) -> Bool {
        number(below: count) == count - 1
    }

    /// One of some values, of which there is at least one.
    package func one<Values: RandomAccessCollection>(of values: Values) -> Values.Element {
        values[values.index(values.startIndex, offsetBy: number(below: values.count))]
    }

    /// A sequence of its own for what is decided too often to be written down.
    package func sequence() -> SplitMix64 {
        SplitMix64(seed: UInt64(number(below: 1 << 8)))
    }
}
