// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// One value for each aspect.
package struct AspectTable<Value> {
    private var values: [Value]

    /// Creates a table from the values that a closure returns.
    package init(_ value: (Aspect) -> Value) {
        values = Aspect.allCases.map(value)
    }

    /// Creates a table with one value for all aspects.
    package init(repeating value: Value) {
        self.init { _ in value }
    }

    /// The value of an aspect.
    package subscript(aspect: Aspect) -> Value {
        get { values[aspect.index] }
        _modify { yield &values[aspect.index] }
    }
}

extension AspectTable: Equatable where Value: Equatable {}
extension AspectTable: Sendable where Value: Sendable {}
