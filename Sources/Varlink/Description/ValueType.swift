// SPDX-License-Identifier: Apache-2.0

/// The type of a value in an interface.
@nonexhaustive public indirect enum ValueType: Sendable, Hashable {
    /// `bool`.
    case bool
    /// `int`: an integer in the range of `Int64`.
    case int
    /// `float`: any number.
    case float
    /// `string`.
    case string
    /// `object`: any JSON object.
    case object
    /// `any`: any JSON value except `null`.
    case any
    /// A type that the interface defines.
    case named(String)
    /// `(name: type, …)`: an object with named fields.
    case structure(Structure)
    /// `(name, …)`: one of the listed strings.
    case enumeration([String])
    /// `[]T`.
    case array(ValueType)
    /// `[string]T`: an object with arbitrary names and values of one type.
    case dictionary(ValueType)
    /// `?T`: may be `null` or missing.
    case nullable(ValueType)
}

/// A list of named and typed fields.
public struct Structure: Sendable, Hashable {
    /// A field: a name and a type.
    public struct Field: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The type.
        public let type: ValueType
    }

    /// The fields in the order of their definition, with distinct names.
    public let fields: [Field]
}
