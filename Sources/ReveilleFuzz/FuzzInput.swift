// SPDX-License-Identifier: Apache-2.0

/// The bytes of an input, consumed from the front: parameters of the target, followed by its data.
struct FuzzInput {
    /// The bytes that have not been consumed.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Takes a number, which is 0 at the end.
    mutating func byte() -> Int {
        Int(rest.popFirst() ?? 0)
    }

    /// Takes a line without its end.
    mutating func line() -> String {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest[line.endIndex...].dropFirst()
        return String(decoding: line, as: UTF8.self)
    }
}
