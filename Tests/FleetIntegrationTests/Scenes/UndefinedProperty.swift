// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A property that MQTT does not define, for which libmosquitto before 2.0.16 ends the program, as is documented.
enum UndefinedProperty {
    /// Returns whether libmosquitto could find one in what a broker sends.
    ///
    /// It continues to read properties beyond their end if a length is wrong.
    static func occurs(in stream: [UInt8]) -> Bool {
        var rest = stream[...]
        while let type = rest.popFirst() {
            // libmosquitto may take the next byte for the type.
            guard type != 0 else { return true }
            guard let length = number(&rest)?.value, rest.count >= length else { return false }
            if let start = start(type, rest.prefix(length)), isFound(in: rest.prefix(length).dropFirst(start)) {
                return true
            }
            rest = rest.dropFirst(length)
        }
        return false
    }

    /// Returns where the properties of a packet begin.
    private static func start(_ type: UInt8, _ packet: ArraySlice<UInt8>) -> Int? {
        switch type >> 4 {
        case 3:
            var rest = packet
            guard let length = length(&rest) else { return nil }
            return 2 + length + (type & 6 == 0 ? 0 : 2)
        case 4...7: return packet.count > 3 ? 3 : nil
        case 2, 9, 11: return 2
        case 14: return packet.count > 2 ? 1 : nil
        case 15: return 1
        default: return nil
        }
    }

    private static func isFound(in packet: ArraySlice<UInt8>) -> Bool {
        var rest = packet
        guard var left = number(&rest).map({ UInt32($0.value) }) else { return false }
        while left != 0 {
            guard let identifier = number(&rest)?.value else { return false }
            left &-= 1
            var width = 0
            switch identifier {
            case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: width = 1
            case 0x13, 0x21, 0x22, 0x23: width = 2
            case 0x02, 0x11, 0x18, 0x27: width = 4
            case 0x0B:
                guard let number = number(&rest) else { return false }
                left &-= UInt32(number.width)
            case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F, 0x26:
                for _ in 0..<(identifier == 0x26 ? 2 : 1) {
                    guard let length = length(&rest), rest.count >= length else { return false }
                    rest = rest.dropFirst(length)
                    left &-= UInt32(2 + length)
                }
            default: return true
            }
            guard rest.count >= width else { return false }
            rest = rest.dropFirst(width)
            left &-= UInt32(width)
        }
        return false
    }

    /// Reads a number of up to four bytes.
    private static func number(_ rest: inout ArraySlice<UInt8>) -> (value: Int, width: Int)? {
        var value = 0
        for width in 1...4 {
            guard let byte = rest.popFirst() else { return nil }
            value |= Int(byte & 127) << (7 * (width - 1))
            if byte < 128 { return (value, width) }
        }
        return nil
    }

    private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
        return Int(high) << 8 | Int(low)
    }
}
