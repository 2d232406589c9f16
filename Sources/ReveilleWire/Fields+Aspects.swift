// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

extension Fields {
    mutating func aspects() throws(CallError) -> AspectSet? {
        guard let names = try optionalStrings("aspects") else { return nil }
        guard !names.isEmpty else { throw invalid("aspects", "must have at least one") }
        var aspects: [Aspect] = []
        for name in names {
            guard let aspect = Aspect(name) else { throw invalid("aspects", Aspect.fault(of: name)) }
            aspects.append(aspect)
        }
        let set = AspectSet(aspects)
        try Quota.aspects.check(set.count, atMost: BusInterface.aspectLimit)
        return set
    }

    /// Reads the field `aspect`, which must meet a condition; the reason for a refusal follows the field.
    mutating func aspect(
        _ reason: @autoclosure () -> String, where isAllowed: (Aspect) -> Bool
    ) throws(CallError) -> Aspect {
        let aspect = try anyAspect()
        guard isAllowed(aspect) else { throw invalid(.aspect, reason()) }
        return aspect
    }

    /// Reads the field `aspect`, an aspect or a pattern.
    mutating func anyAspect() throws(CallError) -> Aspect {
        let name = try string(.aspect)
        guard let aspect = Aspect(name) else { throw invalid(.aspect, Aspect.fault(of: name)) }
        return aspect
    }

    /// Reads the field `aspect`, a name that programs publish.
    mutating func publishedName() throws(CallError) -> Aspect {
        let name = try string(.aspect)
        guard let aspect = Aspect(name), aspect.isPublished else { throw invalid(.aspect, Aspect.nameRule) }
        return aspect
    }

    /// Reads an aspect that can have a state; an unknown one reads as `nil` if unknown words are collected.
    mutating func requiredName(_ name: FieldName) throws(CallError) -> Aspect? {
        let string = try string(name)
        if let aspect = Aspect(string), !aspect.isPattern { return aspect }
        guard let unknownWords else { throw invalid(name) }
        unknownWords.note(string, in: path(of: "\(name)"))
        return nil
    }
}

extension Aspect {
    /// The rule for a published name, in words that follow its field.
    static let nameRule =
        "must be two or more words of letters, digits, '-' and '_', joined by dots, of at most 255 bytes"

    /// Returns why a text is not an aspect: a word without a dot can be one of a later version.
    static func fault(of name: String) -> String {
        name.utf8.contains(UInt8(ascii: ".")) ? nameRule : CallError.unknown
    }
}
