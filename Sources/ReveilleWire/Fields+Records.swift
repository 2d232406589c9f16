// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

extension Fields: FieldCoder {
    package typealias Fault = CallError

    @inline(__always)
    package func string(_ name: StaticString, _ value: inout String) throws(CallError) {
        value = try string(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package func string(_ name: StaticString, _ value: inout String?) throws(CallError) {
        value = try optionalString(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package func strings(_ name: StaticString, _ values: inout [String]) throws(CallError) {
        values = try strings(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package func bool(_ name: StaticString, _ value: inout Bool) throws(CallError) {
        value = try bool(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package func bool(_ name: StaticString, _ value: inout Bool?) throws(CallError) {
        value = try optionalBool(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package func integer(_ name: StaticString, _ value: inout Int, atLeast minimum: Int) throws(CallError) {
        let name = FieldName(stringLiteral: name)
        value = try integer(name)
        guard value >= minimum else { throw invalid(name) }
    }

    @inline(__always)
    package func integer(_ name: StaticString, _ value: inout Int?) throws(CallError) {
        value = try optionalCount(FieldName(stringLiteral: name))
    }

    @inline(__always)
    package func number(_ name: StaticString, _ value: inout Double, in range: NumberRange) throws(CallError) {
        value = try number(FieldName(stringLiteral: name), in: range)
    }

    @inline(__always)
    package func number(_ name: StaticString, _ value: inout Double?, in range: NumberRange) throws(CallError) {
        value = try optionalNumber(FieldName(stringLiteral: name), in: range)
    }

    @inline(__always)
    package func word<Word: WordSet>(_ name: StaticString, _ value: inout Word, else unknown: Word) throws(CallError) {
        value = try word(FieldName(stringLiteral: name), else: unknown)
    }

    @inline(__always)
    package func word<Word: WordSet>(
        _ name: StaticString, _ value: inout Word?, where isAllowed: (Word) -> Bool
    ) throws(CallError) {
        let name = FieldName(stringLiteral: name)
        value = try optionalWord(name)
        guard value.map(isAllowed) != false else { throw invalid(name) }
    }

    @inline(__always)
    package func record<Value: Record>(_ name: StaticString, _ value: inout Value) throws(CallError) {
        let name = FieldName(stringLiteral: name)
        guard var fields = try optionalStructure(name) else { throw invalid(name) }
        try value.code(with: &fields)
    }

    @inline(__always)
    package func record<Value: Record>(_ name: StaticString, _ value: inout Value?) throws(CallError) {
        guard var fields = try optionalStructure(FieldName(stringLiteral: name)) else { return value = nil }
        var record = Value.blank
        try record.code(with: &fields)
        value = record
    }

    @inline(__always)
    package func records<Value: Record>(_ name: StaticString, _ values: inout [Value]) throws(CallError) {
        values = []
        for var fields in try structures(FieldName(stringLiteral: name)) {
            var record = Value.blank
            try record.code(with: &fields)
            values.append(record)
        }
    }
}

// MARK: - Readings

extension Fields: StateSource {
    @inline(__always)
    package mutating func state<State: Record & AspectState>(_: State.Type) throws(CallError) -> State {
        var state = State.blank
        try state.code(with: &self)
        return state
    }

    mutating func record(of aspect: BuiltInAspect) throws(CallError) -> Reading {
        let reading = try Reading(of: aspect, from: &self)
        if case .defaults(let settings) = reading, settings.hasRepeatedPath {
            throw .invalidParameter(path(of: "domains.path"))
        }
        return reading
    }

    /// Reads the state of an aspect; only a published name may have none.
    consuming func reading(of aspect: Aspect) throws(CallError) -> Reading {
        guard let builtIn = aspect.builtIn else {
            return .published(PublishedValue(aspect, try optional(.value) { $0.objectValue }))
        }
        return try reading(of: builtIn)
    }

    /// Reads the state of the only aspect that is given.
    ///
    /// - Throws: `InvalidParameter` with the first aspect if none is given, with the second if several are given.
    consuming func onlyReading() throws(CallError) -> Reading {
        var given: UInt64 = 0
        var member = structure + 1
        while member < text.end(of: structure) {
            let node = text.nodes[member]
            if let position = text.position(of: node.name, in: BuiltInAspect.names) {
                // The last of members with equal names counts.
                if case .null = node.value { given &= ~(1 << UInt64(position)) } else { given |= 1 << UInt64(position) }
            }
            member = text.end(of: member)
        }
        guard given != 0 else { throw .invalidParameter(path(of: BuiltInAspect.names[0])) }
        let others = given & (given - 1)
        guard others == 0 else { throw .invalidParameter(path(of: BuiltInAspect.names[others.trailingZeroBitCount])) }
        let aspect = BuiltInAspect.allCases[given.trailingZeroBitCount]
        guard aspect.isPostable else { throw .invalidParameter(path(of: aspect.rawValue)) }
        return try reading(of: aspect)
    }

    private consuming func reading(of aspect: BuiltInAspect) throws(CallError) -> Reading {
        guard let index = text.member(aspect.rawValue, of: structure), case .object = text.nodes[index].value else {
            throw .invalidParameter(path(of: aspect.rawValue))
        }
        structure = index
        path = aspect.rawValue
        return try record(of: aspect)
    }
}
