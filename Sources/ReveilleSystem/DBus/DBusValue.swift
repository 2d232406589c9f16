// SPDX-License-Identifier: Apache-2.0

/// A value of a D-Bus message, of the types that this project sends.
package indirect enum DBusValue: Sendable, Hashable {
    case string(String)
    case boolean(Bool)
    case number(UInt32)
    case longNumber(UInt64)
    case real(Double)
    /// A descriptor, of which the message has a copy.
    case descriptor(Int32)
    /// Values of one type; an empty array also has the type's signature.
    case array(of: String, [DBusValue])
    case structure([DBusValue])
    /// An element of a dictionary, which is an array of entries.
    case entry(String, DBusValue)
    case variant(DBusValue)

    package static func strings(_ texts: [String]) -> DBusValue {
        .array(of: "s", texts.map(DBusValue.string))
    }

    /// Creates a dictionary from names to values of any type (`a{sv}`).
    package static func dictionary(_ values: [(String, DBusValue)]) -> DBusValue {
        .array(of: "{sv}", values.map { .entry($0, .variant($1)) })
    }

    var signature: String {
        switch self {
        case .string: "s"
        case .boolean: "b"
        case .number: "u"
        case .longNumber: "t"
        case .real: "d"
        case .descriptor: "h"
        case .array(let element, _): "a" + element
        case .structure(let fields): "(" + contents(of: fields) + ")"
        case .entry(_, let value): "{s" + value.signature + "}"
        case .variant: "v"
        }
    }

    private func contents(of fields: [DBusValue]) -> String {
        fields.map(\.signature).joined()
    }

    /// The signature of the container's contents; empty for other values.
    var contents: String {
        switch self {
        case .string, .boolean, .number, .longNumber, .real, .descriptor: ""
        case .array(let element, _): element
        case .structure(let fields): contents(of: fields)
        case .entry(_, let value): "s" + value.signature
        case .variant(let value): value.signature
        }
    }
}
