// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

extension JSONObject: FieldWriter {
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: String) { add(name(), .string(value)) }
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Bool) { add(name(), .bool(value)) }
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Int) { add(name(), .integer(Int64(value))) }
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Double) { add(name(), .number(value)) }
    mutating func add(_ name: @autoclosure () -> FieldName, _ values: [String]) {
        add(name(), .array(values.map { .string($0) }))
    }
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: some WireStructure) {
        add(name(), .object(value.object))
    }
    mutating func add(_ name: @autoclosure () -> FieldName, _ values: [some WireStructure]) {
        add(name(), .array(values.map { .object($0.object) }))
    }
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: PublishedValue) { add(name(), value.structure) }
    mutating func addNull(_ name: @autoclosure () -> FieldName) { add(name(), .null) }

    private mutating func add(_ name: FieldName, _ value: JSON) {
        members.append(Member(name: name.name.description, value: value))
    }
}
