// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire
import Varlink

extension Condition {
    /// Parses a condition and checks it against the states of an aspect; suggests a field or word for a misspelled one.
    init(argument: String, for aspect: Aspect) throws(Failure) {
        do throws(ConditionError) {
            try self.init(parsing: argument)
        } catch {
            let prefix = argument.allSatisfy(\.isWhitespace) ? "" : argument + ": "
            throw Failure(.usage, prefix + error.reason)
        }
        do throws(ConditionError) {
            try check(for: aspect.name)
        } catch {
            var hint = Suggestion.phrase(for: error.word, among: error.candidates)
            if hint.isEmpty, !error.candidates.isEmpty {
                hint = ", which has \(Suggestion.list(error.candidates, "and"))"
            }
            throw Failure(.usage, error.reason + hint)
        }
        guard let builtIn = aspect.builtIn else { return }
        for comparison in comparisons { try comparison.check(in: builtIn) }
    }
}

extension Condition.Comparison {
    fileprivate func check(in aspect: BuiltInAspect) throws(Failure) {
        switch aspect.values(of: field) {
        case .words(let words, _):
            if let word = literal.stringValue, !words.contains(word) { throw aspect.refusing(word, for: field) }
        case .level:
            if let level = literal.numberValue, !(0...1 ~= level) {
                throw aspect.refusing(writtenLiteral, for: field)
            }
        case .flag, .bool, .text, .number, .list, .other, nil: break
        }
    }
}
