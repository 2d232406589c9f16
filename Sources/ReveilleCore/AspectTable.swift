// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// One value for each aspect, stored in place: a table in a subscription allocates nothing.
package struct AspectTable<Value> {
    private var values: InlineArray<5, Value>

    /// Makes a table with what `value` gives for each aspect.
    package init(_ value: (Aspect) -> Value) {
        values = InlineArray { value(Aspect.allCases[$0]) }
    }

    /// Makes a table that holds the same value for each aspect.
    package init(repeating value: Value) {
        values = InlineArray(repeating: value)
    }

    /// The value of an aspect.
    package subscript(aspect: Aspect) -> Value {
        get { values[aspect.index] }
        _modify { yield &values[aspect.index] }
    }
}

extension AspectTable: Equatable where Value: Equatable {
    /// Says whether two tables hold equal values for each aspect.
    package static func == (lhs: AspectTable, rhs: AspectTable) -> Bool {
        Aspect.allCases.allSatisfy { lhs[$0] == rhs[$0] }
    }
}

extension AspectTable: Sendable where Value: Sendable {}
