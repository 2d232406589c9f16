// SPDX-License-Identifier: Apache-2.0

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
