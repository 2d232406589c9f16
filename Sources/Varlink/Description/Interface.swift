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

extension Interface {
    /// Checks that a call names a method of the interface and that its parameters have the declared types.
    ///
    /// A nullable field may be missing; every other field is required. Parameters that the method does not
    /// declare are rejected, so that misspelled names are reported.
    ///
    /// - Parameter call: A call of this interface.
    /// - Throws: ``CallError``: MethodNotFound, or InvalidParameter with the path of the first invalid field.
    ///   Elements of arrays and dictionaries are reported under the name of the field that contains them.
    public func validate(_ call: Call) throws(CallError) {
        guard let input = inputs[Array(call.member.utf8)] else { throw .methodNotFound(call.method) }
        try schema.validate(call.parameters, input)
    }

    package func validate(_ results: JSONObject, of call: Call) throws(CallError) {
        guard let output = outputs[Array(call.member.utf8)] else { throw .methodNotFound(call.method) }
        try schema.validate(results, output)
    }

    /// Checks that an error is declared by the interface and has the declared parameters.
    package func validate(_ error: CallError) throws(CallError) {
        guard let details = details[Array(Call(method: error.name).member.utf8)] else {
            throw .methodNotFound(error.name)
        }
        try schema.validate(error.parameters, details)
    }
}

/// A syntax error in an interface definition.
public struct InterfaceError: Error, Sendable, Hashable {
    /// The line, starting at 1.
    public let line: Int
    /// The column in characters, starting at 1.
    public let column: Int
    /// A description of the error.
    public let reason: String
}

extension InterfaceError: CustomStringConvertible {
    /// The position and the reason, on one line.
    public var description: String { "\(line):\(column): \(reason)" }
}
