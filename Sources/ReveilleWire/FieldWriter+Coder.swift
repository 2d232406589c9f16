// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

/// Writes the fields of a record.
///
/// All functions are inlined, so that the texts of names are constants in the code of each record.
extension FieldWriter where Self: ~Copyable, Self: ~Escapable {
    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func string(_ name: StaticString, _ value: inout String) {
        add(FieldName(stringLiteral: name), value)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func string(_ name: StaticString, _ value: inout String?) {
        add(FieldName(stringLiteral: name), value)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func strings(_ name: StaticString, _ values: inout [String]) {
        add(FieldName(stringLiteral: name), values)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func bool(_ name: StaticString, _ value: inout Bool) { add(FieldName(stringLiteral: name), value) }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func bool(_ name: StaticString, _ value: inout Bool?) {
        add(FieldName(stringLiteral: name), value)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func integer(_ name: StaticString, _ value: inout Int, atLeast _: Int) {
        add(FieldName(stringLiteral: name), value)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func integer(_ name: StaticString, _ value: inout Int?) {
        add(FieldName(stringLiteral: name), value)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func number(_ name: StaticString, _ value: inout Double, in _: NumberRange) {
        add(FieldName(stringLiteral: name), value)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func number(_ name: StaticString, _ value: inout Double?, in _: NumberRange) {
        add(FieldName(stringLiteral: name), value)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func word<Word: WordSet>(_ name: StaticString, _ value: inout Word, else _: Word) {
        add(FieldName(stringLiteral: name), value.rawValue)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func word<Word: WordSet>(_ name: StaticString, _ value: inout Word?, where _: (Word) -> Bool) {
        add(FieldName(stringLiteral: name), value?.rawValue)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func laterWord<Word: WordSet>(_ name: StaticString, _ value: inout Word?) {
        if let value { add(FieldName(stringLiteral: name), value.rawValue) }
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func record<Value: Record>(_ name: StaticString, _ value: inout Value) {
        add(FieldName(stringLiteral: name), &value)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func record<Value: Record>(_ name: StaticString, _ value: inout Value?) {
        guard var present = value else { return addNull(FieldName(stringLiteral: name)) }
        add(FieldName(stringLiteral: name), &present)
    }

    @usableFromInline @inline(__always)
    @_lifetime(self: copy self)
    package mutating func records<Value: Record>(_ name: StaticString, _ values: inout [Value]) {
        add(FieldName(stringLiteral: name), values)
    }
}
