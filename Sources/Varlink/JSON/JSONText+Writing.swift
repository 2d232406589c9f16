// SPDX-License-Identifier: Apache-2.0

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
