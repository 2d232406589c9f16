// SPDX-License-Identifier: Apache-2.0

import CSystemd

extension DBusMessage {
    /// The most levels of containers that are read; the deepest known property has six.
    private static let depthLimit = 16

    /// Reads all values; `nil` for a damaged message, and for one with more levels, or more values and bytes of text, than
    /// a limit.
    package func values(atMost limit: Int) -> [DBusValue]? {
        var room = limit
        sd_bus_message_rewind(message, 1)
        return contents(depth: 0, &room)
    }

    /// Reads the values up to the end of the message or of a container.
    private func contents(depth: Int, _ room: inout Int) -> [DBusValue]? {
        var values: [DBusValue] = []
        while true {
            var type: CChar = 0
            var signature: UnsafePointer<CChar>?
            let result = sd_bus_message_peek_type(message, &type, &signature)
            guard result > 0 else { return result == 0 ? values : nil }
            guard let value = value(UInt8(bitPattern: type), signature, depth: depth, &room) else { return nil }
            values.append(value)
        }
    }

    private func value(
        _ type: UInt8, _ signature: UnsafePointer<CChar>?, depth: Int, _ room: inout Int
    ) -> DBusValue? {
        room -= 1
        guard room >= 0 else { return nil }
        switch Unicode.Scalar(type) {
        case "s": return text("s", &room).map { .string($0) }
        case "g": return text("g", &room).map { .string($0) }
        case "o": return text("o", &room).map { .path($0) }
        case "b": return basic("b", Int32(0)).map { .boolean($0 != 0) }
        case "y": return basic("y", UInt8(0)).map { .byte($0) }
        case "n": return basic("n", Int16(0)).map { .signed(Int32($0)) }
        case "q": return basic("q", UInt16(0)).map { .number(UInt32($0)) }
        case "i": return basic("i", Int32(0)).map { .signed($0) }
        case "u": return basic("u", UInt32(0)).map { .number($0) }
        case "x": return basic("x", Int64(0)).map { .longSigned($0) }
        case "t": return basic("t", UInt64(0)).map { .longNumber($0) }
        case "d": return basic("d", 0.0).map { .real($0) }
        // The message owns the descriptor, and closes it.
        case "h": return basic("h", Int32(0)).map { _ in .descriptor(-1) }
        case "a", "r", "e", "v": return container(type, signature, depth: depth, &room)
        default: return nil
        }
    }

    private func container(
        _ type: UInt8, _ signature: UnsafePointer<CChar>?, depth: Int, _ room: inout Int
    ) -> DBusValue? {
        let code = CChar(bitPattern: type)
        guard depth < Self.depthLimit, let signature, sd_bus_message_enter_container(message, code, signature) > 0
        else { return nil }
        let element = String(cString: signature)
        guard let inner = contents(depth: depth + 1, &room), sd_bus_message_exit_container(message) >= 0 else {
            return nil
        }
        switch Unicode.Scalar(type) {
        case "a": return .array(of: element, inner)
        case "r": return .structure(inner)
        case "e": return inner.count == 2 ? .entry(inner[0], inner[1]) : nil
        default: return inner.first.map { .variant($0) }
        }
    }

    private func basic<Number: BitwiseCopyable>(_ type: Unicode.Scalar, _ initial: Number) -> Number? {
        var number = initial
        return sd_bus_message_read_basic(message, Self.code(type), &number) > 0 ? number : nil
    }

    private func text(_ type: Unicode.Scalar, _ room: inout Int) -> String? {
        guard let text = text(type) else { return nil }
        room -= text.utf8.count
        return room >= 0 ? text : nil
    }
}
