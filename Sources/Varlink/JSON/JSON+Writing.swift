// SPDX-License-Identifier: Apache-2.0

extension JSON: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The value as compact JSON text in UTF-8.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return bytes
    }

    /// Appends the value as compact JSON text in UTF-8, with members in their order.
    public func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(true): bytes.append(contentsOf: "true".utf8)
        case .bool(false): bytes.append(contentsOf: "false".utf8)
        case .integer(let value): JSON.writeInteger(value, into: &bytes)
        case .number(let value): JSON.writeNumber(value, into: &bytes)
        case .string(let value): JSON.writeString(value, into: &bytes)
        case .array(let elements): JSON.writeArray(elements, into: &bytes)
        case .object(let object): object.write(into: &bytes)
        }
    }

    private static func writeArray(_ elements: [JSON], into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (position, element) in elements.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            element.write(into: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}

extension JSONObject: CustomStringConvertible {
    /// The object as compact JSON text.
    public var description: String { JSON.object(self).description }

    /// Appends the object as compact JSON text in UTF-8, with members in their order.
    public func write(into bytes: inout [UInt8]) {
        if let (text, index) = parsed { return text.write(index, into: &bytes) }
        bytes.append(UInt8(ascii: "{"))
        for (position, member) in members.enumerated() {
            bytes.append(addingCapacity: JSON.room(forString: member.name) + 2) { output in
                if position > 0 { output.append(UInt8(ascii: ",")) }
                output.append(string: member.name)
                output.append(UInt8(ascii: ":"))
            }
            member.value.write(into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension JSONText {
    func write(_ index: Int, into output: inout [UInt8]) {
        switch nodes[index].value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): JSON.writeInteger(value, into: &output)
        case .number(let value): JSON.writeNumber(value, into: &output)
        case .string(let part): write(part, into: &output)
        case .array(let end):
            output.append(UInt8(ascii: "["))
            var element = index + 1
            while element < end {
                if element > index + 1 { output.append(UInt8(ascii: ",")) }
                write(element, into: &output)
                element = self.end(of: element)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let end):
            output.append(UInt8(ascii: "{"))
            var member = index + 1
            while member < end {
                if member > index + 1 { output.append(UInt8(ascii: ",")) }
                write(nodes[member].name, into: &output)
                output.append(UInt8(ascii: ":"))
                write(member, into: &output)
                member = self.end(of: member)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private func write(_ string: Part, into output: inout [UInt8]) {
        let string = bytes.span.extracting(string.start..<string.end)
        output.append(addingCapacity: JSON.room(forString: string)) { $0.append(string: string) }
    }
}
