// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import ReveilleWire
import Varlink

/// Checks that each method of a valid interface accepts a sample call and rejects additional parameters, and that line
/// ends and comments do not affect the result.
enum InterfaceTarget {
    /// The maximum number of values in a sample: types that contain other types twice grow exponentially.
    private static let mostValues = 200

    static func check(_ bytes: [UInt8]) throws(Broken) {
        let text = String(decoding: bytes, as: UTF8.self)
        let interface: Interface
        do {
            interface = try Interface(parsing: text)
        } catch {
            let isInText = error.line + error.column <= text.unicodeScalars.count + 2
            return try require(
                error.line > 0 && error.column > 0 && isInText, "an error has a position in the text: \(error)")
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
            let refusal = { () -> CallError? in failure { () throws(CallError) in try interface.validate(call) } }
            try requireEqual(refusal(), nil, "the error of a sample call of \(name)")
            call.parameters["-"] = .null
            try requireEqual(refusal(), .invalidParameter("-"), "the error of an extra parameter of \(name)")
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

/// Checks that a condition survives its canonical form, that its negation is the opposite, and that errors name a
/// column of the text.
///
/// The first line is the condition, and the rest is a state.
enum ConditionTarget {
    private static let interface = BusInterface.make()

    static func check(_ bytes: [UInt8]) throws(Broken) {
        var input = FuzzInput(bytes)
        let text = input.line()
        let condition: Condition
        do throws(ConditionError) {
            condition = try Condition(parsing: text)
        } catch {
            return try require(!error.reason.isEmpty, "an error has a reason")
        }
        let canonical = condition.description
        let again = try? Condition(parsing: canonical)
        try requireEqual(again, condition, "a condition and its canonical form '\(canonical)'")
        try requireEqual(again?.description, canonical, "the canonical form of a canonical form")
        try require(!condition.comparisons.isEmpty, "a condition has comparisons")
        for aspect in ["battery", "locale", "orientation", "defaults", "org.example.name"] {
            let refusals = condition.comparisons.lazy.compactMap { refusal(of: .comparison($0), for: aspect) }
            try requireEqual(
                refusal(of: condition, for: aspect), refusals.first,
                "the first refusal of a condition and of its comparisons")
        }
        let state = (try? JSON.parse(Array(input.rest))) ?? .null
        let holds = condition.holds(for: state)
        try requireEqual(Condition.not(condition).holds(for: state), !holds, "a condition and its negation")
        try requireEqual(condition.holds(for: state.canonical), holds, "the canonical form of a state")
        try requireEqual(
            Condition.all([condition, condition]).holds(for: state), holds, "a condition and its repetition")
        for comparison in condition.comparisons where comparison.operator == .less {
            let less = Condition.comparison(comparison).holds(for: state)
            let greaterOrEqual =
                (try? Condition(
                    parsing: "\(comparison.field) >= \(comparison.writtenLiteral)"))?.holds(for: state)
            try require(!(less && greaterOrEqual == true), "a value is not both less and greater")
        }
    }

    private static func refusal(of condition: Condition, for aspect: String) -> ConditionError? {
        failure { () throws(ConditionError) in try condition.check(for: aspect, in: interface) }
    }
}
