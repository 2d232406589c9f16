// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
package import Varlink

@usableFromInline
package protocol WireStructure {
    /// Writes the fields in their order.
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable))
}

/// Writes the fields of a structure; the counterpart of ``Fields``.
///
/// A structure is written as text or as a JSON object. Names are evaluated only by the writers that use them.
@usableFromInline
package protocol FieldWriter: FieldCoder, ~Copyable, ~Escapable where Fault == Never {
    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: String)
    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Bool)
    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Int)
    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Double)
    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ values: [String])
    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: PublishedValue)
    @_lifetime(self: copy self)
    mutating func addNull(_ name: @autoclosure () -> FieldName)
    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: inout some Record)
    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ values: [some Record])
}

extension FieldWriter where Self: ~Copyable, Self: ~Escapable {
    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: String?) {
        if let value { add(name(), value) } else { addNull(name()) }
    }

    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Bool?) {
        if let value { add(name(), value) } else { addNull(name()) }
    }

    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Int?) {
        if let value { add(name(), value) } else { addNull(name()) }
    }

    @_lifetime(self: copy self)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Double?) {
        if let value { add(name(), value) } else { addNull(name()) }
    }
}

extension WireStructure {
    var object: JSONObject {
        var object: JSONObject = [:]
        write(to: &object)
        return object
    }

    package var text: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendText { $0.append(self) }
        return bytes
    }
}

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
