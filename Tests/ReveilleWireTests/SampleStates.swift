// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Makes a state of any aspect, without null fields.
struct SampleStates: StateSource, FieldCoder {
    typealias Fault = Never

    mutating func state<State: Record>(_: State.Type) -> State { sample() }

    private mutating func sample<Value: Record>() -> Value {
        var value = Value.blank
        value.code(with: &self)
        return value
    }

    func string(_ name: StaticString, _ value: inout String) { value = "\(name)\"\u{e9}" }
    func string(_ name: StaticString, _ value: inout String?) { value = "\(name)" }
    func strings(_ name: StaticString, _ values: inout [String]) { values = ["a", "\(name)"] }
    func bool(_: StaticString, _ value: inout Bool) { value = false }
    func bool(_: StaticString, _ value: inout Bool?) { value = true }
    func integer(_: StaticString, _ value: inout Int, atLeast minimum: Int) { value = max(7, minimum) }
    func integer(_: StaticString, _ value: inout Int?) { value = 7 }
    func number(_: StaticString, _ value: inout Double, in _: NumberRange) { value = 0.25 }
    func number(_: StaticString, _ value: inout Double?, in _: NumberRange) { value = 0.1 }
    func word<Word: WordSet>(_: StaticString, _ value: inout Word, else unknown: Word) {
        value = Word.allCases.last { $0.rawValue != unknown.rawValue } ?? unknown
    }
    func word<Word: WordSet>(_: StaticString, _ value: inout Word?, where isAllowed: (Word) -> Bool) {
        value = Word.allCases.last(where: isAllowed)
    }
    mutating func record<Value: Record>(_: StaticString, _ value: inout Value) { value = sample() }
    mutating func record<Value: Record>(_: StaticString, _ value: inout Value?) { value = sample() }
    mutating func records<Value: Record>(_: StaticString, _ values: inout [Value]) { values = [sample()] }

    static let readings = BuiltInAspect.allCases.map { aspect in
        var source = SampleStates()
        return Reading(of: aspect, from: &source)
    }
}
