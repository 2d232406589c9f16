// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The type of a value in an interface.
public indirect enum ValueType: Sendable, Hashable {
    /// `bool`.
    case bool
    /// `int`: an integer that `Int64` holds.
    case int
    /// `float`: any number.
    case float
    /// `string`.
    case string
    /// `object`: any JSON object.
    case object
    /// `any`: any JSON value but `null`.
    case any
    /// A type that the interface defines under a name.
    case named(String)
    /// `(name: type, …)`.
    case structure(Structure)
    /// `(name, …)`: one of some strings.
    case enumeration([String])
    /// `[]T`.
    case array(ValueType)
    /// `[string]T`: an object with members of any name and one type.
    case dictionary(ValueType)
    /// `?T`: may be `null` or missing.
    case nullable(ValueType)
}

/// Named and typed fields.
public struct Structure: Sendable, Hashable {
    /// One name with its type.
    public struct Field: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The type.
        public let type: ValueType
    }

    /// The fields in the order of the definition; no two have the same name.
    public let fields: [Field]
}
