// SPDX-License-Identifier: Apache-2.0

/// A JSON value with the precision that Varlink messages require.
///
/// It does not use a general coder for three reasons: integers are exact over the whole range of `Int64`,
/// hostile nesting causes an error instead of a stack overflow, and parsing a message takes little time
/// compared with the system call that delivered it.
public enum JSON: Sendable, Hashable {
    /// The value `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction or exponent, in the range of `Int64`.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSON])
    /// An object.
    case object(JSONObject)
}

extension JSON {
    /// Whether the value is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The boolean, or `nil` for other values.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, or `nil` for other values, including numbers with a fraction or exponent such as `1.0`.
    public var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, rounded for integers beyond 2⁵³, or `nil` for other values.
    public var numberValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The string, or `nil` for other values.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements of an array, or `nil` for other values.
    public var arrayValue: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object, or `nil` for other values.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension JSON: ExpressibleByNilLiteral {
    /// Creates `null`.
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension JSON: ExpressibleByBooleanLiteral {
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// Creates an integer.
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension JSON: ExpressibleByFloatLiteral {
    /// Creates a number.
    public init(floatLiteral value: Double) {
        self = .number(value)
    }
}

extension JSON: ExpressibleByStringLiteral {
    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSON: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: JSON...) {
        self = .array(elements)
    }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// Creates an object whose members keep the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(JSONObject(members: elements.map(JSONObject.Member.init)))
    }
}
