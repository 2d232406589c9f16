// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// The form that equal values share: two values are equal as JSON exactly if the ``bytes`` of their canonical forms
    /// are equal.
    ///
    /// - Members are sorted by the UTF-8 of their names. Among members with equal names, only the last remains.
    /// - A number is an integer if it is whole and in the range of `Int64`, whatever its notation: `1`, `1.0` and `1e0`
    ///   are equal, and so are `0` and `-0.0`.
    /// - Strings and names are equal if their Unicode scalars are: a letter with an accent and a letter followed by a
    ///   combining accent differ.
    /// - A member that is `null` differs from an absent one.
    ///
    /// Recurses once per level, as the writer does. The parser limits the depth of what it returns.
    ///
    /// - Complexity: O(n log n) for objects of n members.
    public var canonical: JSON {
        switch self {
        case .null, .bool, .integer, .string: self
        case .number(let value): Int64(exactly: value).map(JSON.integer) ?? self
        case .array(let elements): .array(elements.map(\.canonical))
        case .object(let object): .object(object.canonical)
        }
    }
}

extension JSONObject {
    /// The form that equal objects share; see ``JSON/canonical``.
    public var canonical: JSONObject {
        let (text, index) = text
        return JSONObject(JSONText(canonicalFormOf: text, at: index), at: 0)
    }
}

extension JSONText {
    fileprivate init(canonicalFormOf text: JSONText, at index: Int) {
        self.init(bytes: text.bytes, nodes: [])
        append(canonicalFormOf: text, at: index)
    }

    private mutating func append(canonicalFormOf text: JSONText, at index: Int) {
        let node = text.nodes[index]
        switch node.value {
        case .null, .bool, .integer, .string: append(node)
        case .number(let value):
            append(Node(name: node.name, value: Int64(exactly: value).map(Value.integer) ?? node.value))
        case .array:
            let array = open(node.name)
            for element in text.children(of: index) { append(canonicalFormOf: text, at: element) }
            close(array) { .array(end: $0) }
        case .object:
            let object = open(node.name)
            for member in text.sortedMembers(of: index) { append(canonicalFormOf: text, at: member) }
            close(object) { .object(end: $0) }
        }
    }

    /// The members of an object in the order of their names, without members that a later one replaces.
    private func sortedMembers(of object: Int) -> [Int] {
        let members = children(of: object)
        if zip(members, members.dropFirst()).allSatisfy(precedes) { return members }
        var result: [Int] = []
        result.reserveCapacity(members.count)
        // The sort is stable, so the last of the members with equal names replaces the others.
        for member in members.sorted(by: precedes) {
            if let last = result.last, !precedes(last, member) { result.removeLast() }
            result.append(member)
        }
        return result
    }

    /// Compares the bytes of the names, since comparing strings would equate names that differ in their scalars.
    private func precedes(_ one: Int, _ other: Int) -> Bool {
        let (one, other) = (nodes[one].name, nodes[other].name)
        let bytes = bytes.span
        for offset in 0..<min(one.count, other.count) {
            let (byte, otherByte) = (bytes[one.start + offset], bytes[other.start + offset])
            if byte != otherByte { return byte < otherByte }
        }
        return one.count < other.count
    }
}
