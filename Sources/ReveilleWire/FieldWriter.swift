// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import Varlink

@usableFromInline
package protocol WireStructure {
    /// Writes the fields in their order.
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable))
}

/// Writes the fields of a structure; the counterpart of ``Fields``.
///
/// A structure is written once to determine the room for its text, and once as text; or as a JSON object. Names are
/// evaluated only by the writers that use them.
@usableFromInline
package protocol FieldWriter: FieldCoder, ~Copyable, ~Escapable where Fault == Never {
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: String)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Bool)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Int)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Double)
    mutating func add(_ name: @autoclosure () -> FieldName, _ values: [String])
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: PublishedValue)
    mutating func addNull(_ name: @autoclosure () -> FieldName)
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: inout some Record)
    mutating func add(_ name: @autoclosure () -> FieldName, _ values: [some Record])
}

extension FieldWriter where Self: ~Copyable, Self: ~Escapable {
    mutating func add(_ name: @autoclosure () -> FieldName, _ value: String?) {
        if let value { add(name(), value) } else { addNull(name()) }
    }

    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Bool?) {
        if let value { add(name(), value) } else { addNull(name()) }
    }

    mutating func add(_ name: @autoclosure () -> FieldName, _ value: Int?) {
        if let value { add(name(), value) } else { addNull(name()) }
    }

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

    var room: Int {
        var room = TextRoom()
        room.add(self)
        return room.bytes
    }

    var text: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: room) { $0.append(self) }
        return bytes
    }
}
