// SPDX-License-Identifier: Apache-2.0

/// A parsed JSON text: its bytes, and its values in the order of the text.
///
/// Strings, arrays and objects are created when they are read, so the unused parts of a message cost little. Values are
/// identified by their index.
package struct JSONText: Sendable {
    /// A value with its name, which is empty outside objects.
    package struct Node: Sendable {
        package let name: Part
        package let value: Value
    }

    package enum Value: Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        case number(Double)
        /// A string in UTF-8, without quotes and escapes.
        case string(Part)
        /// The elements follow, up to an index.
        case array(end: Int)
        /// The members follow, up to an index.
        case object(end: Int)
    }

    package struct Part: Sendable {
        let start: Int
        let end: Int

        var count: Int { end &- start }
    }

    /// The text, and after it the strings that have escapes in the text.
    var bytes: [UInt8]
    /// The values; the first value contains all others.
    ///
    /// Values after its end belong to an earlier text.
    package internal(set) var nodes: [Node]

    init(bytes: [UInt8], nodes: [Node]) {
        self.bytes = bytes
        self.nodes = nodes
    }

    package func end(of index: Int) -> Int {
        nodes.span.end(of: index)
    }

    /// The index of an object's last member with a name.
    package func member(_ name: borrowing ShortText, of object: Int) -> Int? {
        let nodes = nodes.span
        guard case .object(let end) = nodes[object].value else { return nil }
        let bytes = bytes.span
        var found: Int?
        var member = object &+ 1
        while member < end {
            let own = nodes[member].name
            if own.count == name.count, bytes.hasText(name.words.span, from: 0, at: own.start, count: own.count) {
                found = member
            }
            member = nodes.end(of: member)
        }
        return found
    }

    /// The index of an object's last member with a name; names are equal if their Unicode scalars are.
    package func member(_ name: String, of object: Int) -> Int? {
        let name = name.utf8.span
        var found: Int?
        var member = object + 1
        while member < end(of: object) {
            let own = nodes[member].name
            if own.count == name.count, bytes.span.hasBytes(name, at: own.start) { found = member }
            member = end(of: member)
        }
        return found
    }

    @inline(__always)
    func isNamed(_ name: borrowing ShortText, at member: Int) -> Bool {
        let own = nodes[member].name
        guard own.count == name.count else { return false }
        return bytes.span.hasText(name.words.span, from: 0, at: own.start, count: own.count)
    }

    package func isText(_ text: String, _ string: Part) -> Bool {
        string.count == text.utf8.count && bytes.span.hasBytes(text.utf8.span, at: string.start)
    }

    package func position(of string: Part, in names: NameTable) -> Int? {
        names.position(of: bytes.span, string, in: 0..<names.count)
    }
}

extension Span<JSONText.Node> {
    @inline(__always)
    func end(of index: Int) -> Int {
        switch self[index].value {
        case .array(let end), .object(let end): end
        case .null, .bool, .integer, .number, .string: index &+ 1
        }
    }
}

// MARK: - Values

extension JSONText {
    package func value(at index: Int) -> JSON {
        switch nodes[index].value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .string(let part): .string(string(part))
        case .array: .array(children(of: index).map(value(at:)))
        case .object: .object(JSONObject(self, at: index))
        }
    }

    package func string(_ part: Part) -> String {
        String(decoding: bytes[part.start..<part.end], as: UTF8.self)
    }

    func name(at index: Int) -> String { string(nodes[index].name) }

    func members(of object: Int) -> [JSONObject.Member] {
        children(of: object).map { JSONObject.Member(name: name(at: $0), value: value(at: $0)) }
    }

    /// The indices of the elements of an array, or of the members of an object.
    package func children(of index: Int) -> [Int] {
        var children: [Int] = []
        let end = end(of: index)
        var child = index + 1
        while child < end {
            children.append(child)
            child = self.end(of: child)
        }
        return children
    }

    /// The names of the objects around a value, from inside of an outer one; lists have none.
    package func path(of index: Int, in outer: Int) -> [String] {
        guard outer != index, let inner = children(of: outer).last(where: { $0 <= index }) else { return [] }
        let name = name(at: inner)
        return (name.isEmpty ? [] : [name]) + path(of: index, in: inner)
    }

    func isDeeper(_ index: Int, than limit: Int) -> Bool {
        switch nodes[index].value {
        case .array, .object: limit == 0 || children(of: index).contains { isDeeper($0, than: limit - 1) }
        case .null, .bool, .integer, .number, .string: false
        }
    }
}
