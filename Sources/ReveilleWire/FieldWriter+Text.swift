// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import Varlink

/// Adds up the room in bytes that the text of fields may need; most fields need less.
struct TextRoom: FieldWriter {
    private(set) var bytes = 0

    mutating func add(_ structure: some WireStructure) {
        bytes += 1
        structure.write(to: &self)
    }

    mutating func add(_: @autoclosure () -> FieldName, _ value: String) {
        // Searching a short string takes longer than the room is worth.
        let size = value.utf8.count
        addField(size <= 32 ? 6 * size + 2 : JSON.room(forString: value))
    }

    mutating func add(_: @autoclosure () -> FieldName, _ value: Bool) { addField(ShortText.room) }
    mutating func add(_: @autoclosure () -> FieldName, _ value: Int) { addField(JSON.integerRoom) }
    mutating func add(_: @autoclosure () -> FieldName, _ value: Double) { addField(JSON.numberRoom) }
    mutating func add(_: @autoclosure () -> FieldName, _ value: PublishedValue) {
        addField(value.bytes?.count ?? ShortText.room)
    }
    mutating func addNull(_: @autoclosure () -> FieldName) { addField(ShortText.room) }

    mutating func add(_: @autoclosure () -> FieldName, _ values: [String]) {
        addField(2 + values.count)
        for value in values { bytes += JSON.room(forString: value) }
    }

    mutating func add(_: @autoclosure () -> FieldName, _ value: inout some Record) {
        addField(1)
        value.code(with: &self)
    }

    mutating func add(_: @autoclosure () -> FieldName, _ values: [some Record]) {
        addField(2 + values.count)
        let values = values.span
        for index in values.indices {
            var value = values[index]
            bytes += 1
            value.code(with: &self)
        }
    }

    @inline(__always)
    private mutating func addField(_ room: Int) {
        bytes += ShortText.room + room
    }
}

extension OutputSpan: FieldCoder, FieldWriter where Element == UInt8 {
    /// Appends a structure, for which there must be room.
    @_lifetime(self: copy self)
    mutating func append(_ structure: some WireStructure) {
        let start = count
        structure.write(to: &self)
        // Each field begins with a comma.
        self[start] = UInt8(ascii: "{")
        append(UInt8(ascii: "}"))
    }

    @_lifetime(self: copy self)
    @usableFromInline package mutating func add(_ name: @autoclosure () -> FieldName, _ value: String) {
        append(name().text)
        append(string: value)
    }

    @_lifetime(self: copy self)
    @usableFromInline package mutating func add(_ name: @autoclosure () -> FieldName, _ value: Bool) {
        append(name().text)
        append(value ? ShortText.true : .false)
    }

    @_lifetime(self: copy self)
    @usableFromInline package mutating func add(_ name: @autoclosure () -> FieldName, _ value: Int) {
        append(name().text)
        append(integer: Int64(value))
    }

    @_lifetime(self: copy self)
    @usableFromInline package mutating func add(_ name: @autoclosure () -> FieldName, _ value: Double) {
        append(name().text)
        append(number: value)
    }

    @_lifetime(self: copy self)
    @usableFromInline package mutating func add(_ name: @autoclosure () -> FieldName, _ value: PublishedValue) {
        guard let text = value.bytes else { return addNull(name()) }
        append(name().text)
        for index in text.indices { append(text[index]) }
    }

    @_lifetime(self: copy self)
    @usableFromInline package mutating func add(_ name: @autoclosure () -> FieldName, _ values: [String]) {
        append(name().text)
        append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(string: value)
        }
        append(UInt8(ascii: "]"))
    }

    @_lifetime(self: copy self)
    @usableFromInline package mutating func addNull(_ name: @autoclosure () -> FieldName) {
        append(name().text)
        append(ShortText.null)
    }

    @_lifetime(self: copy self)
    @usableFromInline package mutating func add(_ name: @autoclosure () -> FieldName, _ value: inout some Record) {
        append(name().text)
        append(record: &value)
    }

    @_lifetime(self: copy self)
    @usableFromInline package mutating func add(_ name: @autoclosure () -> FieldName, _ values: [some Record]) {
        append(name().text)
        append(UInt8(ascii: "["))
        let values = values.span
        for index in values.indices {
            if index > 0 { append(UInt8(ascii: ",")) }
            var value = values[index]
            append(record: &value)
        }
        append(UInt8(ascii: "]"))
    }

    @_lifetime(self: copy self)
    private mutating func append(record value: inout some Record) {
        let start = count
        value.code(with: &self)
        self[start] = UInt8(ascii: "{")
        append(UInt8(ascii: "}"))
    }
}

extension ShortText {
    fileprivate static let `true` = ShortText("true")
    fileprivate static let `false` = ShortText("false")
    fileprivate static let null = ShortText("null")
}
