// SPDX-License-Identifier: Apache-2.0

/// A Varlink interface: its types, methods and errors, and the text that defines them.
public struct Interface: Sendable, Hashable {
    /// The parameters and results of a method.
    public struct Method: Sendable, Hashable {
        /// The parameters of a call.
        public let input: Structure
        /// The parameters of its replies.
        public let output: Structure
    }

    /// The name, such as `org.example.Interface`.
    public let name: String
    /// The text of the definition, including comments.
    public let text: String
    /// The defined types by name.
    public let types: [String: ValueType]
    /// The methods by name, without the interface.
    public let methods: [String: Method]
    /// The parameters of the errors by name, without the interface.
    public let errors: [String: Structure]
    /// The structures of the methods and errors, for validation.
    let schema: Schema
    /// The positions in the schema of the parameters of calls, of results, and of the parameters of errors.
    let inputs, outputs, details: [[UInt8]: Int]

    /// Parses an interface definition.
    ///
    /// - Parameter text: The definition in Varlink's interface definition language.
    /// - Throws: ``InterfaceError`` with the position of the first error.
    public init(parsing text: String) throws(InterfaceError) {
        var parser = InterfaceParser(text)
        try parser.interface()
        self.text = text
        name = parser.name
        types = parser.types
        methods = parser.methods
        errors = parser.errors
        var schema = Schema()
        let positions = schema.add(types)
        inputs = schema.add(methods.mapValues(\.input), positions)
        outputs = schema.add(methods.mapValues(\.output), positions)
        details = schema.add(errors, positions)
        self.schema = schema
    }
}
