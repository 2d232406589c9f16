// SPDX-License-Identifier: Apache-2.0

enum Key: Hashable, Sendable {
    case character(Character)
    case up, down, pageUp, pageDown, home, end
    case tab, enter, backspace, escape
    /// Ctrl-U, which erases a line.
    case eraseLine
    /// Ctrl-D, which ends the input.
    case endOfInput
    /// Ctrl-L, which draws the screen again.
    case redraw
}

struct KeyDecoder {
    /// The size in bytes of the longest sequence of one key; longer sequences are not keys, and are dropped.
    private static let longestSequence = 16

    private var pending: [UInt8] = []

    /// Returns the keys that are complete, and keeps the start of an incomplete one.
    ///
    /// Terminals send the bytes of one key at once, so an ESC at the end is the key itself.
    mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        var rest = pending[...]
        while let (key, length) = Self.next(rest) {
            if let key { keys.append(key) }
            rest = rest.dropFirst(length)
        }
        pending = rest.count > Self.longestSequence ? [] : Array(rest)
        return keys
    }

    /// Returns the first key, `nil` for a key without a meaning, and its length; `nil` for an incomplete key.
    private static func next(_ bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1B: return sequence(bytes)
        case 0x09: return (.tab, 1)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x04: return (.endOfInput, 1)
        case 0x0C: return (.redraw, 1)
        case 0x15: return (.eraseLine, 1)
        case ..<0x20: return (nil, 1)
        case ..<0x80: return (.character(Character(Unicode.Scalar(first))), 1)
        default: return character(bytes)
        }
    }

    /// Decodes a sequence that begins with ESC: CSI (ESC [) or SS3 (ESC O), parameters, and a last byte.
    private static func sequence(_ bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        let body = bytes.dropFirst()
        guard let kind = body.first else { return (.escape, 1) }
        guard kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return (.escape, 1) }
        guard let last = body.dropFirst().firstIndex(where: { 0x40...0x7E ~= $0 }) else { return nil }
        let length = last + 1 - bytes.startIndex
        let parameter = String(decoding: body[(body.startIndex + 1)..<last], as: UTF8.self).prefix { $0 != ";" }
        let key: Key? =
            switch (bytes[last], parameter) {
            case (UInt8(ascii: "A"), _): .up
            case (UInt8(ascii: "B"), _): .down
            case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): .home
            case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): .end
            case (UInt8(ascii: "Z"), _): .tab
            case (UInt8(ascii: "~"), "5"): .pageUp
            case (UInt8(ascii: "~"), "6"): .pageDown
            default: nil
            }
        return (key, length)
    }

    private static func character(_ bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        let length =
            switch bytes[bytes.startIndex] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        guard bytes.count >= length else { return nil }
        guard let text = String(validating: bytes.prefix(length), as: UTF8.self), let character = text.first else {
            return (nil, 1)
        }
        return (.character(character), length)
    }
}
