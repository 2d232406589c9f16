// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a service offers under one name: its types, methods and errors, and the text that defines
/// them.
public struct Interface: Sendable, Hashable {
    /// What goes into a method and what comes out.
    public struct Method: Sendable, Hashable {
        /// The parameters of a call.
        public let input: Structure
        /// The parameters of its replies.
        public let output: Structure
    }

    /// The name, as `org.example.Interface`.
    public let name: String
    /// The definition, comments included.
    public let text: String
    /// What is defined by `type`, each by its name.
    public let types: [String: ValueType]
    /// The methods, each by its name without the interface.
    public let methods: [String: Method]
    /// The parameters of the errors, each by its name without the interface.
    public let errors: [String: Structure]

    /// Reads a definition.
    ///
    /// - Parameter text: The definition in Varlink's language.
    /// - Throws: ``InterfaceError`` with the first place that is wrong.
    public init(parsing text: String) throws(InterfaceError) {
        var parser = InterfaceParser(text)
        try parser.interface()
        self.text = text
        name = parser.name
        types = parser.types
        methods = parser.methods
        errors = parser.errors
    }
}
