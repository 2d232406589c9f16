// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A value of a D-Bus message, as far as calls to the service manager need it.
indirect enum DBusValue: Sendable, Hashable {
    case string(String)
    case boolean(Bool)
    case number(UInt32)
    /// Values of one type, whose signature an empty array has too.
    case array(of: String, [DBusValue])
    case structure([DBusValue])
    case variant(DBusValue)

    /// Creates an array of strings.
    static func strings(_ texts: [String]) -> DBusValue {
        .array(of: "s", texts.map(DBusValue.string))
    }

    /// The type of the value, in D-Bus's notation.
    var signature: String {
        switch self {
        case .string: "s"
        case .boolean: "b"
        case .number: "u"
        case .array(let element, _): "a" + element
        case .structure(let fields): "(" + contents(of: fields) + ")"
        case .variant: "v"
        }
    }

    private func contents(of fields: [DBusValue]) -> String {
        fields.map(\.signature).joined()
    }

    /// The signature of what the container contains; empty for other values.
    var contents: String {
        switch self {
        case .string, .boolean, .number: ""
        case .array(let element, _): element
        case .structure(let fields): contents(of: fields)
        case .variant(let value): value.signature
        }
    }
}
