// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The bytes of an input, taken from the front: first what steers a target, then what it reads.
struct FuzzInput {
    /// What was not taken yet.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// A number; 0 at the end.
    mutating func byte() -> Int {
        Int(rest.popFirst() ?? 0)
    }

    /// A line without its end.
    mutating func line() -> String {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest[line.endIndex...].dropFirst()
        return String(decoding: line, as: UTF8.self)
    }
}
