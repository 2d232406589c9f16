// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// One value for each aspect.
public struct AspectTable<Value> {
    private var values: [Value]

    /// Makes a table with what `value` gives for each aspect.
    public init(_ value: (Aspect) -> Value) {
        values = Aspect.allCases.map(value)
    }

    /// Makes a table that holds the same value for each aspect.
    public init(repeating value: Value) {
        self.init { _ in value }
    }

    /// The value of an aspect.
    public subscript(aspect: Aspect) -> Value {
        get { values[aspect.index] }
        _modify { yield &values[aspect.index] }
    }
}

extension AspectTable: Equatable where Value: Equatable {}
extension AspectTable: Sendable where Value: Sendable {}
