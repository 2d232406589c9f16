// SPDX-License-Identifier: Apache-2.0

/// A value of a D-Bus message.
///
/// A value that is read has the widest type of its kind: integers of 16 bits are read as 32 bits, and signatures as strings.
package indirect enum DBusValue: Sendable, Hashable {
    case string(String)
    /// The path of an object.
    case path(String)
    case boolean(Bool)
    case byte(UInt8)
    case signed(Int32)
    case longSigned(Int64)
    case number(UInt32)
    case longNumber(UInt64)
    case real(Double)
    /// A descriptor, of which the message has a copy; -1 in a value that is read.
    case descriptor(Int32)
    /// Values of one type; an empty array also has the type's signature.
    case array(of: String, [DBusValue])
    case structure([DBusValue])
    /// An element of a dictionary, which is an array of entries.
    case entry(DBusValue, DBusValue)
    case variant(DBusValue)

    package static func strings(_ texts: [String]) -> DBusValue {
        .array(of: "s", texts.map(DBusValue.string))
    }

    /// Creates a dictionary from names to values of any type (`a{sv}`).
    package static func dictionary(_ values: [(String, DBusValue)]) -> DBusValue {
        .array(of: "{sv}", values.map { .entry(.string($0), .variant($1)) })
    }

    var signature: String {
        switch self {
        case .string: "s"
        case .path: "o"
        case .boolean: "b"
        case .byte: "y"
        case .signed: "i"
        case .longSigned: "x"
        case .number: "u"
        case .longNumber: "t"
        case .real: "d"
        case .descriptor: "h"
        case .array(let element, _): "a" + element
        case .structure(let fields): "(" + contents(of: fields) + ")"
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .variant: "v"
        }
    }

    private func contents(of fields: [DBusValue]) -> String {
        fields.map(\.signature).joined()
    }

    /// The signature of the container's contents; empty for other values.
    var contents: String {
        switch self {
        case .string, .path, .boolean, .byte, .signed, .longSigned, .number, .longNumber, .real, .descriptor: ""
        case .array(let element, _): element
        case .structure(let fields): contents(of: fields)
        case .entry(let key, let value): key.signature + value.signature
        case .variant(let value): value.signature
        }
    }
}
