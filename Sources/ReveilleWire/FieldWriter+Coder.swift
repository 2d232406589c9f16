// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore

/// Writes the fields of a record.
///
/// All functions are inlined, so that the texts of names are constants in the code of each record.
extension FieldWriter where Self: ~Copyable, Self: ~Escapable {
    @usableFromInline @inline(__always)
    package mutating func string(_ field: Field, _ value: inout String) { add(FieldName(field), value) }

    @usableFromInline @inline(__always)
    package mutating func string(_ field: Field, _ value: inout String?) { add(FieldName(field), value) }

    @usableFromInline @inline(__always)
    package mutating func strings(_ field: Field, _ values: inout [String]) { add(FieldName(field), values) }

    @usableFromInline @inline(__always)
    package mutating func bool(_ field: Field, _ value: inout Bool) { add(FieldName(field), value) }

    @usableFromInline @inline(__always)
    package mutating func bool(_ field: Field, _ value: inout Bool?) { add(FieldName(field), value) }

    @usableFromInline @inline(__always)
    package mutating func integer(_ field: Field, _ value: inout Int, atLeast _: Int) { add(FieldName(field), value) }

    @usableFromInline @inline(__always)
    package mutating func integer(_ field: Field, _ value: inout Int?) { add(FieldName(field), value) }

    @usableFromInline @inline(__always)
    package mutating func number(_ field: Field, _ value: inout Double, in _: NumberRange) {
        add(FieldName(field), value)
    }

    @usableFromInline @inline(__always)
    package mutating func number(_ field: Field, _ value: inout Double?, in _: NumberRange) {
        add(FieldName(field), value)
    }

    @usableFromInline @inline(__always)
    package mutating func word<Word: WordSet>(_ field: Field, _ value: inout Word, else _: Word) {
        add(FieldName(field), value.rawValue)
    }

    @usableFromInline @inline(__always)
    package mutating func word<Word: WordSet>(_ field: Field, _ value: inout Word?, where _: (Word) -> Bool) {
        add(FieldName(field), value?.rawValue)
    }

    @usableFromInline @inline(__always)
    package mutating func record<Value: Record>(_ field: Field, _ value: inout Value) {
        add(FieldName(field), &value)
    }

    @usableFromInline @inline(__always)
    package mutating func record<Value: Record>(_ field: Field, _ value: inout Value?) {
        guard var present = value else { return addNull(FieldName(field)) }
        add(FieldName(field), &present)
    }

    @usableFromInline @inline(__always)
    package mutating func records<Value: Record>(_ field: Field, _ values: inout [Value]) {
        add(FieldName(field), values)
    }
}

extension FieldName {
    /// The name of a field of a record.
    @inline(__always)
    init(_ field: Field) {
        self.init(stringLiteral: field.name)
    }
}
