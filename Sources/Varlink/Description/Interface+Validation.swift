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
    /// - Throws: InvalidParameter with the path of the first invalid field.
    package func validate(_ object: JSONObject, _ structure: Structure) throws(CallError) {
        if let path = invalidPath(in: object, structure) { throw .invalidParameter(path.joined(separator: ".")) }
    }

    /// Returns the path of the first field of an object that is invalid, if any.
    private func invalidPath(in object: JSONObject, _ structure: Structure) -> [String]? {
        for field in structure.fields {
            if let path = invalidPath(in: object[field.name] ?? .null, field.type) { return [field.name] + path }
        }
        for member in object.members where !structure.fields.contains(where: { $0.name == member.name }) {
            return [member.name]
        }
        return nil
    }

    /// Returns the path of the first invalid field in a value, if any; empty for the value itself.
    private func invalidPath(in value: JSON, _ type: ValueType) -> [String]? {
        switch (type, value) {
        case (.bool, .bool), (.int, .integer), (.float, .integer), (.float, .number), (.string, .string),
            (.object, .object), (.nullable, .null):
            return nil
        case (.any, _) where !value.isNull:
            return nil
        case (.enumeration(let names), .string(let name)) where names.contains(name):
            return nil
        case (.named(let name), _):
            guard let type = types[name] else { preconditionFailure("the interface has an undefined type '\(name)'") }
            return invalidPath(in: value, type)
        case (.nullable(let type), _):
            return invalidPath(in: value, type)
        case (.structure(let structure), .object(let object)):
            return invalidPath(in: object, structure)
        case (.array(let type), .array(let elements)):
            for element in elements {
                if let path = invalidPath(in: element, type) { return path }
            }
            return nil
        case (.dictionary(let type), .object(let object)):
            for member in object.members {
                if let path = invalidPath(in: member.value, type) { return path }
            }
            return nil
        default:
            return []
        }
    }
}
