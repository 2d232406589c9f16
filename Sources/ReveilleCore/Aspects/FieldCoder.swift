// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A structure of the interface, with a single list of its fields for all code that reads, writes or describes them.
@usableFromInline
package protocol Record: Sendable {
    /// A value whose fields can be replaced.
    static var blank: Self { get }

    /// Passes each field to a coder, in the order of the interface.
    ///
    /// It is inlinable, so that each coder has its own code without calls in between.
    mutating func code<Coder: FieldCoder & ~Copyable & ~Escapable>(with coder: inout Coder) throws(Coder.Fault)
}

/// The words of a field, in the order of the cases.
@usableFromInline
package protocol WordSet: CaseIterable, RawRepresentable<String>, Sendable where AllCases == [Self] {}

/// Reads, replaces or describes the fields of a record.
@usableFromInline
package protocol FieldCoder: ~Copyable, ~Escapable {
    associatedtype Fault: Error

    mutating func string(_ field: Field, _ value: inout String) throws(Fault)
    mutating func string(_ field: Field, _ value: inout String?) throws(Fault)
    mutating func strings(_ field: Field, _ values: inout [String]) throws(Fault)
    mutating func bool(_ field: Field, _ value: inout Bool) throws(Fault)
    mutating func bool(_ field: Field, _ value: inout Bool?) throws(Fault)
    /// An integer that is at least a minimum.
    mutating func integer(_ field: Field, _ value: inout Int, atLeast minimum: Int) throws(Fault)
    /// An integer that is not negative, or null.
    mutating func integer(_ field: Field, _ value: inout Int?) throws(Fault)
    mutating func number(_ field: Field, _ value: inout Double, in range: NumberRange) throws(Fault)
    mutating func number(_ field: Field, _ value: inout Double?, in range: NumberRange) throws(Fault)
    /// A word of a set that may grow; `unknown` is the meaning of a word that a later version adds.
    mutating func word<Word: WordSet>(_ field: Field, _ value: inout Word, else unknown: Word) throws(Fault)
    /// A word that the closure allows, or null. A word that a later version adds also reads as null.
    mutating func word<Word: WordSet>(
        _ field: Field, _ value: inout Word?, where isAllowed: (Word) -> Bool
    ) throws(Fault)
    mutating func record<Value: Record>(_ field: Field, _ value: inout Value) throws(Fault)
    mutating func record<Value: Record>(_ field: Field, _ value: inout Value?) throws(Fault)
    mutating func records<Value: Record>(_ field: Field, _ values: inout [Value]) throws(Fault)
}

extension FieldCoder where Self: ~Copyable, Self: ~Escapable {
    /// Any number, or null.
    @inlinable
    @inline(__always)
    package mutating func number(_ field: Field, _ value: inout Double?) throws(Fault) {
        try number(field, &value, in: .any)
    }

    /// A word of the set, or null.
    @inlinable
    @inline(__always)
    package mutating func word<Word: WordSet>(_ field: Field, _ value: inout Word?) throws(Fault) {
        try word(field, &value) { _ in true }
    }
}
