// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

/// An interface that is understood has a valid call of each method, for which anything more is too much; and
/// how its lines end and what comments say makes no difference to it.
enum InterfaceTarget {
    /// How many values a sample may have: two names that each stand for two others soon stand for billions.
    private static let mostValues = 200

    static func check(_ bytes: [UInt8]) throws(Falsified) {
        let text = String(decoding: bytes, as: UTF8.self)
        let interface: Interface
        do {
            interface = try Interface(parsing: text)
        } catch {
            try require(error.line > 0 && error.column > 0, "a place in the text: \(error)")
            try require(error.line + error.column <= text.unicodeScalars.count + 2, "a place in the text: \(error)")
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
            try requireEqual(refusal(of: call, interface), nil, "the sample of \(name), and its refusal")
            call.parameters["-"] = .null
            try requireEqual(
                refusal(of: call, interface), .invalidParameter("-"), "one more than the sample of \(name)")
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

    /// A value of a type; `nil` for one that only endless values have.
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
