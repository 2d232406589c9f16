// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc
import ReveilleSystem

/// A D-Bus message, either under construction or received, which is read in order.
package final class DBusMessage {
    let message: OpaquePointer

    /// Creates a message by an operation, and appends values.
    init(
        _ operation: String, _ values: [DBusValue], _ create: (inout OpaquePointer?) -> Int32
    ) throws(SystemError) {
        var created: OpaquePointer?
        let result = create(&created)
        guard result >= 0, let created else { throw SystemError(operation, code: -result) }
        message = created
        try append(values)
    }

    /// Adds a reference to a message that libsystemd passes to a callback.
    init(retaining message: OpaquePointer) {
        self.message = sd_bus_message_ref(message)
    }

    deinit {
        sd_bus_message_unref(message)
    }

    // MARK: - Writing

    /// Throws `EINVAL` for a string with a NUL character, which D-Bus cannot represent.
    func append(_ values: [DBusValue]) throws(SystemError) {
        for value in values { try append(value) }
    }

    private func append(_ value: DBusValue) throws(SystemError) {
        switch value {
        case .string(let text): try append(text, as: "s")
        case .path(let text): try append(text, as: "o")
        case .boolean(let isTrue):
            var number: Int32 = isTrue ? 1 : 0
            try check(sd_bus_message_append_basic(message, Self.code("b"), &number))
        case .byte(var number):
            try check(sd_bus_message_append_basic(message, Self.code("y"), &number))
        case .signed(var number):
            try check(sd_bus_message_append_basic(message, Self.code("i"), &number))
        case .longSigned(var number):
            try check(sd_bus_message_append_basic(message, Self.code("x"), &number))
        case .number(var number):
            try check(sd_bus_message_append_basic(message, Self.code("u"), &number))
        case .longNumber(var number):
            try check(sd_bus_message_append_basic(message, Self.code("t"), &number))
        case .descriptor(var number):
            try check(sd_bus_message_append_basic(message, Self.code("h"), &number))
        case .real(var number):
            try check(sd_bus_message_append_basic(message, Self.code("d"), &number))
        case .array(_, let values): try append(values, in: "a", of: value)
        case .structure(let fields): try append(fields, in: "r", of: value)
        case .entry(let key, let inner): try append([key, inner], in: "e", of: value)
        case .variant(let inner): try append([inner], in: "v", of: value)
        }
    }

    private func append(_ text: String, as type: Unicode.Scalar) throws(SystemError) {
        guard !text.utf8.contains(0) else { throw SystemError("sd_bus_message_append", code: EINVAL) }
        try check(text.withCString { sd_bus_message_append_basic(message, Self.code(type), $0) })
    }

    private func append(
        _ values: [DBusValue], in type: Unicode.Scalar, of container: DBusValue
    ) throws(SystemError) {
        try check(sd_bus_message_open_container(message, Self.code(type), container.contents))
        try append(values)
        try check(sd_bus_message_close_container(message))
    }

    static func code(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }

    private func check(_ result: Int32) throws(SystemError) {
        guard result >= 0 else { throw SystemError("sd_bus_message_append", code: -result) }
    }

    // MARK: - Reading

    // Each returns the next value; `nil` if the value has another type.
    package func string() -> String? { text("s") }

    func path() -> String? { text("o") }

    package func number() -> UInt32? {
        var number: UInt32 = 0
        return sd_bus_message_read_basic(message, Self.code("u"), &number) > 0 ? number : nil
    }

    package func boolean() -> Bool? {
        var value: Int32 = 0
        return sd_bus_message_read_basic(message, Self.code("b"), &value) > 0 ? value != 0 : nil
    }

    func longNumber() -> UInt64? {
        var number: UInt64 = 0
        return sd_bus_message_read_basic(message, Self.code("t"), &number) > 0 ? number : nil
    }

    /// Returns a copy of the next value, a descriptor.
    func descriptor() -> OwnedDescriptor? {
        // The message owns the descriptor.
        var number: Int32 = -1
        guard sd_bus_message_read_basic(message, Self.code("h"), &number) > 0 else { return nil }
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? OwnedDescriptor(copy) : nil
    }

    /// Enters the next value, a variant of a type; returns `nil` if it has another type.
    func variant(_ type: String) -> DBusMessage? {
        sd_bus_message_enter_container(message, Self.code("v"), type) > 0 ? self : nil
    }

    func text(_ type: Unicode.Scalar) -> String? {
        // The message owns the text.
        var text: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(message, Self.code(type), &text) > 0 else { return nil }
        return text.map { String(cString: $0) }
    }

    // MARK: - Header

    /// The path of the object; `nil` for a reply.
    package var object: String? { copy(sd_bus_message_get_path(message)) }
    /// The unique name of the sender; `nil` for a message that this process has formed.
    package var sender: String? { copy(sd_bus_message_get_sender(message)) }
    /// The interface; a call may leave it out.
    package var interface: String? { copy(sd_bus_message_get_interface(message)) }
    /// The name of the method or signal; `nil` for a reply.
    package var member: String? { copy(sd_bus_message_get_member(message)) }
    /// The types of the values, in D-Bus's notation.
    package var signature: String { copy(sd_bus_message_get_signature(message, 1)) ?? "" }

    private func copy(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }
}
