// SPDX-License-Identifier: Apache-2.0

import ReveilleWire
import Varlink

/// Checks that a condition survives its canonical form, that its negation is the opposite, and that errors name a
/// column of the text.
///
/// The first line is the condition, and the rest is a state.
enum ConditionTarget {
    private static let interface = BusInterface.make()

    static func check(_ bytes: [UInt8]) throws(Falsified) {
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
            let refusal = refusal(of: condition, for: aspect)
            try requireEqual(
                refusal,
                condition.comparisons.lazy.compactMap { comparison in
                    Self.refusal(of: .comparison(comparison), for: aspect)
                }.first, "the first refusal of a condition and of its comparisons")
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
        do throws(ConditionError) {
            try condition.check(for: aspect, in: interface)
            return nil
        } catch {
            return error
        }
    }
}
