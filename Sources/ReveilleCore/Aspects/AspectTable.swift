// SPDX-License-Identifier: Apache-2.0

/// One value for each aspect of the device.
package struct AspectTable<Value> {
    private var values: [Value]

    package init(_ value: (BuiltInAspect) -> Value) {
        values = BuiltInAspect.allCases.map(value)
    }

    package init(repeating value: Value) {
        self.init { _ in value }
    }

    package subscript(aspect: BuiltInAspect) -> Value {
        get { values[aspect.index] }
        _modify { yield &values[aspect.index] }
    }
}

extension AspectTable: Equatable where Value: Equatable {}
extension AspectTable: Sendable where Value: Sendable {}
