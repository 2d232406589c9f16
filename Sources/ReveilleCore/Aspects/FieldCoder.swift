// SPDX-License-Identifier: Apache-2.0

/// A structure of the interface, with a single list of its fields for all code that reads, writes or describes them.
@usableFromInline
package protocol Record: Sendable {
    /// A value whose fields can be replaced.
    static var blank: Self { get }

    /// Passes each field to a coder, in the order of the interface; inlinable, for a coder without calls in between.
    mutating func code<Coder: FieldCoder & ~Copyable & ~Escapable>(with coder: inout Coder) throws(Coder.Fault)
}

/// The words of a field, in the order of the cases.
@usableFromInline
package protocol WordSet: CaseIterable, RawRepresentable<String>, Sendable where AllCases == [Self] {
    /// The words of the interface: all cases, unless a case only means a word of a later version.
    static var words: [Self] { get }
}

extension WordSet {
    @usableFromInline package static var words: [Self] { allCases }
}

/// Reads, replaces or describes the fields of a record.
@usableFromInline
package protocol FieldCoder: ~Copyable, ~Escapable {
    associatedtype Fault: Error

    @_lifetime(self: copy self)
    mutating func string(_ name: StaticString, _ value: inout String) throws(Fault)
    @_lifetime(self: copy self)
    mutating func string(_ name: StaticString, _ value: inout String?) throws(Fault)
    @_lifetime(self: copy self)
    mutating func strings(_ name: StaticString, _ values: inout [String]) throws(Fault)
    @_lifetime(self: copy self)
    mutating func bool(_ name: StaticString, _ value: inout Bool) throws(Fault)
    @_lifetime(self: copy self)
    mutating func bool(_ name: StaticString, _ value: inout Bool?) throws(Fault)
    @_lifetime(self: copy self)
    mutating func integer(_ name: StaticString, _ value: inout Int, atLeast minimum: Int) throws(Fault)
    /// An integer that is not negative, or null.
    @_lifetime(self: copy self)
    mutating func integer(_ name: StaticString, _ value: inout Int?) throws(Fault)
    @_lifetime(self: copy self)
    mutating func number(_ name: StaticString, _ value: inout Double, in range: NumberRange) throws(Fault)
    @_lifetime(self: copy self)
    mutating func number(_ name: StaticString, _ value: inout Double?, in range: NumberRange) throws(Fault)
    /// A word of a set that may grow; `unknown` is the meaning of a word that a later version adds.
    @_lifetime(self: copy self)
    mutating func word<Word: WordSet>(_ name: StaticString, _ value: inout Word, else unknown: Word) throws(Fault)
    /// A word that the closure allows, or null. A word that a later version adds also reads as null.
    @_lifetime(self: copy self)
    mutating func word<Word: WordSet>(
        _ name: StaticString, _ value: inout Word?, where isAllowed: (Word) -> Bool
    ) throws(Fault)
    /// A word or null in a field that strict clients of earlier versions do not know: null is not written.
    @_lifetime(self: copy self)
    mutating func laterWord<Word: WordSet>(_ name: StaticString, _ value: inout Word?) throws(Fault)
    @_lifetime(self: copy self)
    mutating func record<Value: Record>(_ name: StaticString, _ value: inout Value) throws(Fault)
    @_lifetime(self: copy self)
    mutating func record<Value: Record>(_ name: StaticString, _ value: inout Value?) throws(Fault)
    @_lifetime(self: copy self)
    mutating func records<Value: Record>(_ name: StaticString, _ values: inout [Value]) throws(Fault)

    // The methods below describe the preceding field, which is not a record.

    /// The values that the field accepts, in words, if its type does not say enough.
    @_lifetime(self: copy self)
    mutating func accepts(_ values: StaticString)
    /// The unit with which charts show the field, after the number.
    @_lifetime(self: copy self)
    mutating func chart(in unit: StaticString)
    @_lifetime(self: copy self)
    mutating func show(as entity: @autoclosure () -> DashboardEntity)
}

extension FieldCoder where Self: ~Copyable, Self: ~Escapable {
    @_lifetime(self: copy self)
    @inlinable package mutating func accepts(_: StaticString) {}
    @_lifetime(self: copy self)
    @inlinable package mutating func chart(in _: StaticString) {}
    @_lifetime(self: copy self)
    @inlinable package mutating func show(as _: @autoclosure () -> DashboardEntity) {}

    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    package mutating func number(_ name: StaticString, _ value: inout Double?) throws(Fault) {
        try number(name, &value, in: .any)
    }

    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    package mutating func word<Word: WordSet>(_ name: StaticString, _ value: inout Word?) throws(Fault) {
        try word(name, &value) { _ in true }
    }

    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    package mutating func laterWord<Word: WordSet>(_ name: StaticString, _ value: inout Word?) throws(Fault) {
        try word(name, &value)
    }
}

@usableFromInline
package enum NumberRange: Sendable {
    case any
    case notNegative
    case positive
    /// From 0 to 1.
    case level

    /// The rule for a number, in words that follow its field.
    package var reason: String {
        switch self {
        case .any: "must be a number"
        case .notNegative: "must be 0 or more"
        case .positive: "must be more than 0"
        case .level: "must be from 0 to 1"
        }
    }

    @inlinable
    @inline(__always)
    package func contains(_ number: Double) -> Bool {
        switch self {
        case .any: true
        case .notNegative: number >= 0
        case .positive: number > 0
        case .level: 0...1 ~= number
        }
    }
}
