// SPDX-License-Identifier: Apache-2.0

extension InterfaceParser {
    /// Parses a type, which may not be nested deeper than a message.
    private mutating func type(depth: Int) throws(InterfaceError) -> ValueType {
        guard depth <= Limits.jsonDepth else { throw failure("nested deeper than \(Limits.jsonDepth) levels") }
        if scanner.skip("?") {
            guard scanner.next != "?" else { throw failure("repeated '?'") }
            return .nullable(try type(depth: depth))
        }
        if scanner.skip("[]") { return .array(try type(depth: depth + 1)) }
        if scanner.skip("[string]") { return .dictionary(try type(depth: depth + 1)) }
        return scanner.next == "(" ? try structureOrEnumeration(depth: depth) : try simpleType()
    }

    private mutating func simpleType() throws(InterfaceError) -> ValueType {
        let position = scanner.position
        let word = scanner.word(InterfaceParser.isLetterOrDigit)
        switch word {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        case "any": return .any
        case "": throw failure("expected a type")
        default: break
        }
        guard InterfaceParser.isTypeName(word) else { throw scanner.error("unknown type '\(word)'", at: position) }
        uses.append((word, position))
        return .named(word)
    }

    mutating func structure(depth: Int) throws(InterfaceError) -> Structure {
        let position = scanner.position
        guard case .structure(let structure) = try structureOrEnumeration(depth: depth) else {
            throw scanner.error("expected fields with types", at: position)
        }
        return structure
    }

    /// Parses a list in parentheses; a `:` after the first name makes it a structure.
    mutating func structureOrEnumeration(depth: Int) throws(InterfaceError) -> ValueType {
        try sign("(")
        scanner.skipSpace()
        var names: [String] = []
        var known: Set<String> = []
        var fields: [Structure.Field] = []
        guard !scanner.skip(")") else { return .structure(Structure(fields: fields)) }
        repeat {
            scanner.skipSpace()
            let position = scanner.position
            let name = try fieldName()
            guard known.insert(name).inserted else { throw scanner.error("duplicate name '\(name)'", at: position) }
            scanner.skipSpace()
            if names.isEmpty ? scanner.next == ":" : !fields.isEmpty {
                try sign(":")
                scanner.skipSpace()
                fields.append(Structure.Field(name: name, type: try type(depth: depth + 1)))
                scanner.skipSpace()
            }
            names.append(name)
        } while scanner.skip(",")
        try sign(")")
        return fields.isEmpty ? .enumeration(names) : .structure(Structure(fields: fields))
    }
}
