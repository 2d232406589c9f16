// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import Varlink

extension OutputSpan: FieldCoder, FieldWriter where Element == UInt8 {
    @_lifetime(self: copy self)
    mutating func append(_ structure: some WireStructure) {
        let start = count
        structure.write(to: &self)
        endFields(from: start)
    }

    @_lifetime(self: copy self)
    private mutating func endFields(from start: Int) {
        guard start < count, hasRoom(for: 1) else { return }
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
        append(bytes: text.span)
    }

    @_lifetime(self: copy self)
    @usableFromInline package mutating func add(_ name: @autoclosure () -> FieldName, _ values: [String]) {
        append(name().text)
        append(byte: UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { append(byte: UInt8(ascii: ",")) }
            append(string: value)
        }
        append(byte: UInt8(ascii: "]"))
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
        append(byte: UInt8(ascii: "["))
        let values = values.span
        for index in values.indices {
            if index > 0 { append(byte: UInt8(ascii: ",")) }
            var value = values[index]
            append(record: &value)
        }
        append(byte: UInt8(ascii: "]"))
    }

    @_lifetime(self: copy self)
    private mutating func append(record value: inout some Record) {
        let start = count
        value.code(with: &self)
        endFields(from: start)
    }
}

extension ShortText {
    fileprivate static let `true` = ShortText("true")
    fileprivate static let `false` = ShortText("false")
    fileprivate static let null = ShortText("null")
}
