// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Checks that each method of a valid interface accepts a sample call and rejects additional parameters, and that line
/// ends and comments do not affect the result.
enum InterfaceTarget {
    /// The maximum number of values in a sample: types that contain other types twice grow exponentially.
    private static let mostValues = 200

    static func check(_ bytes: [UInt8]) throws(Falsified) {
        let text = String(decoding: bytes, as: UTF8.self)
        let interface: Interface
        do {
            interface = try Interface(parsing: text)
        } catch {
            try require(error.line > 0 && error.column > 0, "an error has a position in the text: \(error)")
            try require(
                error.line + error.column <= text.unicodeScalars.count + 2,
                "an error has a position in the text: \(error)")
            return
        }
        let again = try? Interface(parsing: "# more\r\n" + text + "\n# and more")
        try requireEqual(again?.types, interface.types, "types with and without comments")
        try requireEqual(again?.methods, interface.methods, "methods with and without comments")
        try requireEqual(again?.errors, interface.errors, "errors with and without comments")
        for (name, method) in interface.methods {
            var left = mostValues
            guard case .object(let sample)? = value(of: .structure(method.input), in: interface, &left) else {
                continue
            }
            var call = Call(method: interface.name + "." + name, parameters: sample)
            try requireEqual(refusal(of: call, interface), nil, "the error of a sample call of \(name)")
            call.parameters["-"] = .null
            try requireEqual(
                refusal(of: call, interface), .invalidParameter("-"), "the error of an extra parameter of \(name)")
        }
    }

    private static func refusal(of call: Call, _ interface: Interface) -> CallError? {
        do {
            try interface.validate(call)
            return nil
        } catch {
            return error
        }
    }

    /// Returns a value of a type, or `nil` if all values would be infinite.
    private static func value(of type: ValueType, in interface: Interface, _ left: inout Int) -> JSON? {
        guard left > 0 else { return nil }
        left -= 1
        switch type {
        case .bool: return true
        case .int: return 1
        case .float: return 1.5
        case .string: return ""
        case .object: return [:]
        case .any: return [false]
        case .nullable: return .null
        case .enumeration(let names): return names.last.map { .string($0) }
        case .array(let element): return value(of: element, in: interface, &left).map { [$0] } ?? []
        case .dictionary(let element): return value(of: element, in: interface, &left).map { ["": $0] } ?? [:]
        case .named(let name): return interface.types[name].flatMap { value(of: $0, in: interface, &left) }
        case .structure(let structure):
            var object = JSONObject()
            for field in structure.fields {
                guard let value = value(of: field.type, in: interface, &left) else { return nil }
                object.members.append(JSONObject.Member(name: field.name, value: value))
            }
            return .object(object)
        }
    }
}
