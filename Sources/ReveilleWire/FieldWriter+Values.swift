// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

extension JSONObject: FieldWriter {
    package mutating func add(_ name: @autoclosure () -> FieldName, _ value: String) { add(name(), .string(value)) }
    package mutating func add(_ name: @autoclosure () -> FieldName, _ value: Bool) { add(name(), .bool(value)) }
    package mutating func add(_ name: @autoclosure () -> FieldName, _ value: Int) {
        add(name(), .integer(Int64(value)))
    }
    package mutating func add(_ name: @autoclosure () -> FieldName, _ value: Double) { add(name(), .number(value)) }
    package mutating func add(_ name: @autoclosure () -> FieldName, _ values: [String]) {
        add(name(), .array(values.map { .string($0) }))
    }
    package mutating func add(_ name: @autoclosure () -> FieldName, _ value: PublishedValue) {
        add(name(), value.structure)
    }
    package mutating func add(_ name: @autoclosure () -> FieldName, _ value: inout some Record) {
        add(name(), .object(Self(of: &value)))
    }
    package mutating func add(_ name: @autoclosure () -> FieldName, _ values: [some Record]) {
        add(
            name(),
            .array(
                values.map { value in
                    var value = value
                    return .object(Self(of: &value))
                }))
    }
    package mutating func addNull(_ name: @autoclosure () -> FieldName) { add(name(), .null) }

    private init(of value: inout some Record) {
        self = [:]
        value.code(with: &self)
    }

    private mutating func add(_ name: FieldName, _ value: JSON) {
        members.append(Member(name: name.name.description, value: value))
    }
}
