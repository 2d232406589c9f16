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
        try structure.validate(object, types)
    }
}

extension Structure {
    /// Checks that an object has these fields and no others; see ``Interface/validate(_:_:)``.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - types: The types that the interface defines.
    /// - Throws: InvalidParameter with the path of the first invalid field.
    func validate(_ object: JSONObject, _ types: [String: ValueType]) throws(CallError) {
        if let path = invalidPath(in: object, types) { throw .invalidParameter(path.joined(separator: ".")) }
    }

    /// Returns the path of the first invalid field, if any.
    fileprivate func invalidPath(in object: JSONObject, _ types: [String: ValueType]) -> [String]? {
        for field in fields {
            if let path = field.type.invalidPath(in: object[field.name] ?? .null, types) { return [field.name] + path }
        }
        for member in object.members where !fields.contains(where: { $0.name == member.name }) {
            return [member.name]
        }
        return nil
    }
}

extension ValueType {
    /// Returns the path of the first invalid field in a value, if any; empty for the value itself.
    fileprivate func invalidPath(in value: JSON, _ types: [String: ValueType]) -> [String]? {
        switch (self, value) {
        case (.bool, .bool), (.int, .integer), (.float, .integer), (.float, .number), (.string, .string),
            (.object, .object), (.nullable, .null):
            return nil
        case (.any, _) where !value.isNull:
            return nil
        case (.enumeration(let names), .string(let name)) where names.contains(name):
            return nil
        case (.named(let name), _):
            guard let type = types[name] else { preconditionFailure("the interface has an undefined type '\(name)'") }
            return type.invalidPath(in: value, types)
        case (.nullable(let type), _):
            return type.invalidPath(in: value, types)
        case (.structure(let structure), .object(let object)):
            return structure.invalidPath(in: object, types)
        case (.array(let type), .array(let elements)):
            for element in elements {
                if let path = type.invalidPath(in: element, types) { return path }
            }
            return nil
        case (.dictionary(let type), .object(let object)):
            for member in object.members {
                if let path = type.invalidPath(in: member.value, types) { return path }
            }
            return nil
        default:
            return []
        }
    }
}
