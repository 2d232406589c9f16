// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

extension Fields: FieldCoder {
    package typealias Fault = CallError

    @inline(__always)
    package mutating func string(_ name: StaticString, _ value: inout String) throws(CallError) {
        value = try string(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package mutating func string(_ name: StaticString, _ value: inout String?) throws(CallError) {
        value = try optionalString(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package mutating func strings(_ name: StaticString, _ values: inout [String]) throws(CallError) {
        values = try strings(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package mutating func bool(_ name: StaticString, _ value: inout Bool) throws(CallError) {
        value = try bool(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package mutating func bool(_ name: StaticString, _ value: inout Bool?) throws(CallError) {
        value = try optionalBool(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package mutating func integer(_ name: StaticString, _ value: inout Int, atLeast minimum: Int) throws(CallError) {
        let name = FieldName(stringLiteral: name)
        value = try integer(name)
        guard value >= minimum else { throw invalid(name, "must be \(minimum) or more") }
    }

    @inline(__always)
    package mutating func integer(_ name: StaticString, _ value: inout Int?) throws(CallError) {
        value = try optionalCount(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package mutating func number(_ name: StaticString, _ value: inout Double, in range: NumberRange) throws(CallError) {
        value = try number(FieldName(stringLiteral: name), in: range)
    }

    @inline(__always)
    package mutating func number(_ name: StaticString, _ value: inout Double?, in range: NumberRange) throws(CallError)
    {
        value = try optionalNumber(FieldName(stringLiteral: name), in: range)
    }

    @inline(__always)
    package mutating func word<Word: WordSet>(
        _ name: StaticString, _ value: inout Word, else unknown: Word
    ) throws(CallError) {
        value = try word(FieldName(stringLiteral: name), else: unknown)
    }

    @inline(__always)
    package mutating func word<Word: WordSet>(
        _ name: StaticString, _ value: inout Word?, where isAllowed: (Word) -> Bool
    ) throws(CallError) {
        let name = FieldName(stringLiteral: name)
        value = try optionalWord(name)
        guard value.map(isAllowed) != false else { throw invalid(name, "cannot be \(value?.rawValue ?? "null") here") }
    }

    @inline(__always)
    package mutating func record<Value: Record>(_ name: StaticString, _ value: inout Value) throws(CallError) {
        let name = FieldName(stringLiteral: name)
        guard let record: Value = try optionalStructure(name, Fields.record) else { throw invalid(name) }
        value = record
    }

    @inline(__always)
    package mutating func record<Value: Record>(_ name: StaticString, _ value: inout Value?) throws(CallError) {
        value = try optionalStructure(FieldName(stringLiteral: name), Fields.record)
    }

    @inline(__always)
    package mutating func records<Value: Record>(_ name: StaticString, _ values: inout [Value]) throws(CallError) {
        values = try structures(FieldName(stringLiteral: name), Fields.record)
    }

    private static func record<Value: Record>(_ fields: inout Fields) throws(CallError) -> Value {
        var record = Value.blank
        try record.code(with: &fields)
        return record
    }
}

// MARK: - Readings

extension Fields: StateSource {
    @inline(__always)
    package mutating func state<State: Record>(_: State.Type) throws(CallError) -> State {
        var state = State.blank
        try state.code(with: &self)
        return state
    }

    mutating func record(of aspect: BuiltInAspect) throws(CallError) -> Reading {
        let reading = try Reading(of: aspect, from: &self)
        if case .defaults(let settings) = reading, settings.hasRepeatedPath {
            throw .invalidParameter(path(of: "domains.path"), "must be different for each domain")
        }
        return reading
    }

    /// Reads the state of an aspect; only a published name may have none.
    ///
    /// A state that is missing reads as `nil` if unknown words are collected: a later version may have it elsewhere.
    /// Errors name the path from the aspect on.
    mutating func reading(of aspect: Aspect) throws(CallError) -> Reading? {
        guard let builtIn = aspect.builtIn else {
            return .published(PublishedValue(aspect, try optional(.value) { $0.objectValue }))
        }
        var index = text.member(builtIn.rawValue, of: structure)
        if let found = index, case .null = text.nodes[found].value { index = nil }
        guard let index else {
            guard let unknownWords else { throw invalid(builtIn) }
            unknownWords.note(nil, in: path(of: builtIn.rawValue))
            return nil
        }
        let outer = root
        root = (structure, "")
        defer { root = outer }
        return try reading(of: builtIn, at: index)
    }

    /// Reads the state of the only aspect that is given.
    ///
    /// - Throws: `InvalidParameter` with the first aspect if none is given, with the second if several are given.
    package mutating func onlyReading() throws(CallError) -> Reading {
        var given: UInt64 = 0
        var index: Int?
        var isUsual = true
        var member = structure + 1
        let end = text.end(of: structure)
        while member < end {
            let node = text.nodes[member]
            if let position = text.position(of: node.name, in: BuiltInAspect.names) {
                let bit: UInt64 = 1 << UInt64(position)
                // The last of members with equal names counts.
                if case .null = node.value {
                    given &= ~bit
                    if BuiltInAspect.allCases[position].isPostable { readCount += 1 }
                } else {
                    given |= bit
                    isUsual = index == nil
                    index = member
                }
            }
            member = text.end(of: member)
        }
        let others = given & (given &- 1)
        let aspects = BuiltInAspect.allCases
        guard given != 0 else { throw invalid(aspects[0], "or another aspect must be given") }
        guard others == 0 else { throw invalid(aspects[others.trailingZeroBitCount], "cannot be given beside another") }
        let aspect = aspects[given.trailingZeroBitCount]
        if !isUsual { index = text.member(aspect.rawValue, of: structure) }
        guard aspect.isPostable, let index else { throw invalid(aspect, "cannot be posted") }
        return try reading(of: aspect, at: index)
    }

    private mutating func reading(of aspect: BuiltInAspect, at index: Int) throws(CallError) -> Reading {
        guard case .object = text.nodes[index].value else { throw invalid(aspect) }
        readCount += 1
        return try inside(index) { fields throws(CallError) in try fields.record(of: aspect) }
    }

    private func invalid(_ aspect: BuiltInAspect, _ reason: String? = nil) -> CallError {
        .invalidParameter(path(of: aspect.rawValue), reason)
    }
}
