// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A JSON value that keeps what a Varlink message has to keep.
///
/// It is not built on a general coder for three reasons: integers are exact over the whole range
/// of `Int64`, hostile nesting ends in an error rather than in a stack overflow, and the time for
/// a message is small beside the system call that brought it.
public enum JSON: Sendable, Hashable {
    /// The value `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that `Int64` holds.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// A list of values.
    case array([JSON])
    /// A list of named values.
    case object(JSONObject)
}

extension JSON {
    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The boolean, if this is one.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, if this is one; a number with a fraction or an exponent is none, not even `1.0`.
    public var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, if this is one; an integer beyond 2⁵³ is rounded.
    public var numberValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The string, if this is one.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var arrayValue: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object, if this is one.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}
