// SPDX-License-Identifier: Apache-2.0

// Texts of values that were not parsed: only strings are in their bytes.

extension JSONText {
    init(_ members: [JSONObject.Member]) {
        self.init(bytes: [], nodes: [])
        append(.object(JSONObject(members: members)), named: "")
    }

    private mutating func append(_ value: JSON, named name: String) {
        let name = part(name)
        switch value {
        case .null: append(Node(name: name, value: .null))
        case .bool(let value): append(Node(name: name, value: .bool(value)))
        case .integer(let value): append(Node(name: name, value: .integer(value)))
        case .number(let value): append(Node(name: name, value: .number(value)))
        case .string(let value): append(Node(name: name, value: .string(part(value))))
        case .array(let elements):
            let array = open(name)
            for element in elements { append(element, named: "") }
            close(array) { .array(end: $0) }
        case .object(let members):
            let object = open(name)
            for member in members.members { append(member.value, named: member.name) }
            close(object) { .object(end: $0) }
        }
    }

    private mutating func part(_ string: String) -> Part {
        let start = bytes.count
        bytes += string.utf8
        return Part(start: start, end: bytes.count)
    }

    // MARK: - Nodes

    mutating func append(_ node: Node) {
        nodes.append(node)
    }

    /// Begins an array or an object, and returns its index.
    mutating func open(_ name: Part) -> Int {
        nodes.append(Node(name: name, value: .null))
        return nodes.count - 1
    }

    mutating func close(_ index: Int, _ value: (_ end: Int) -> Value) {
        nodes[index] = Node(name: nodes[index].name, value: value(nodes.count))
    }
}
