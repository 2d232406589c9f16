// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The coding of D-Bus messages, as far as a subscriber and a publisher need it.
enum DBusMessage {
    enum Kind: UInt8 {
        case call = 1
        case reply, error, signal
    }

    enum Field: UInt8 {
        case path = 1
        case interface, member
        case destination = 6
        case signature = 8

        /// The type of the field's value.
        var type: UInt8 {
            switch self {
            case .path: UInt8(ascii: "o")
            case .signature: UInt8(ascii: "g")
            default: UInt8(ascii: "s")
            }
        }
    }

    /// Encodes a message in little-endian order.
    ///
    /// Its serial number is always the same, which dbus-daemon allows.
    static func encoded(_ kind: Kind, _ fields: [(Field, String)], body: [UInt8]) -> [UInt8] {
        var array: [UInt8] = []
        for (field, value) in fields {
            pad(&array, to: 8)
            array += [field.rawValue, 1, field.type, 0]
            array += field == .signature ? [UInt8(value.utf8.count)] + Array(value.utf8) + [0] : string(value)
        }
        var message = [UInt8(ascii: "l"), kind.rawValue, 0, 1] + integer(body.count) + integer(1)
        message += integer(array.count) + array
        pad(&message, to: 8)
        return message + body
    }

    static func integer(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func string(_ text: String) -> [UInt8] {
        integer(text.utf8.count) + Array(text.utf8) + [0]
    }

    private static func pad(_ bytes: inout [UInt8], to alignment: Int) {
        while bytes.count % alignment != 0 { bytes.append(0) }
    }

    /// Receives a whole message, and returns its kind.
    static func receiveKind(from connection: PeerConnection) throws -> Kind {
        let header = try connection.receive(exactly: 16)
        let number = { (offset: Int) in (0..<4).reduce(0) { $0 | Int(header[offset + $1]) << (8 * $1) } }
        _ = try connection.receive(exactly: (number(12) + 7) / 8 * 8 + number(4))
        guard let kind = Kind(rawValue: header[1]) else { throw BenchError("an unknown kind of D-Bus message") }
        return kind
    }
}
