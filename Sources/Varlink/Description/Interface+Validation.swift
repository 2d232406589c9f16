// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

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
        guard let method = methods[call.member] else { throw .methodNotFound(call.method) }
        try validate(call.parameters, method.input)
    }

    /// Checks that an object has the fields of a structure and no others.
    ///
    /// - Parameters:
    ///   - object: The parameters of a call, a reply or an error, or an object inside them.
    ///   - structure: The expected structure.
    ///   - path: The path of the object; empty for the parameters themselves.
    /// - Throws: InvalidParameter with the path of the first invalid field.
    package func validate(
        _ object: JSONObject, _ structure: Structure, at path: String = ""
    ) throws(CallError) {
        for field in structure.fields {
            let fieldPath = path.isEmpty ? field.name : "\(path).\(field.name)"
            try validate(object[field.name] ?? .null, field.type, at: fieldPath)
        }
        for member in object.members where !structure.fields.contains(where: { $0.name == member.name }) {
            throw .invalidParameter(path.isEmpty ? member.name : "\(path).\(member.name)")
        }
    }

    private func validate(_ value: JSON, _ type: ValueType, at path: String) throws(CallError) {
        switch (type, value) {
        case (.bool, .bool), (.int, .integer), (.float, .integer), (.float, .number), (.string, .string),
            (.object, .object), (.nullable, .null):
            return
        case (.any, _) where !value.isNull:
            return
        case (.enumeration(let names), .string(let name)) where names.contains(name):
            return
        case (.named(let name), _):
            guard let type = types[name] else { preconditionFailure("the interface has an undefined type '\(name)'") }
            try validate(value, type, at: path)
        case (.nullable(let type), _):
            try validate(value, type, at: path)
        case (.structure(let structure), .object(let object)):
            try validate(object, structure, at: path)
        case (.array(let type), .array(let elements)):
            for element in elements { try validate(element, type, at: path) }
        case (.dictionary(let type), .object(let object)):
            for member in object.members { try validate(member.value, type, at: path) }
        default:
            throw .invalidParameter(path)
        }
    }
}
