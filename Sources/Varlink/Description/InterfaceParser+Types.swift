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

extension InterfaceParser {
    /// Reads `[A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+`.
    mutating func interfaceName() throws(InterfaceError) -> String {
        let position = scanner.position
        let name = scanner.word { InterfaceParser.isLetterOrDigit($0) || $0 == "-" || $0 == "." }
        let parts = name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        let isName =
            parts.count > 1 && InterfaceParser.isLetter(name.unicodeScalars.first)
            && parts.allSatisfy { part in
                InterfaceParser.isLetterOrDigit(part.first) && InterfaceParser.isLetterOrDigit(part.last)
            }
        guard isName else { throw scanner.error("expected an interface name", at: position) }
        return name
    }

    /// Reads `[A-Z][A-Za-z0-9]*`.
    mutating func typeName() throws(InterfaceError) -> String {
        let position = scanner.position
        let name = scanner.word(InterfaceParser.isLetterOrDigit)
        guard InterfaceParser.isTypeName(name) else {
            throw scanner.error("expected a name that begins with a capital letter", at: position)
        }
        return name
    }

    /// Reads `[A-Za-z](_?[A-Za-z0-9])*`.
    mutating func fieldName() throws(InterfaceError) -> String {
        let position = scanner.position
        let name = scanner.word { InterfaceParser.isLetterOrDigit($0) || $0 == "_" }
        let parts = name.unicodeScalars.split(separator: "_", omittingEmptySubsequences: false)
        guard InterfaceParser.isLetter(name.unicodeScalars.first), parts.allSatisfy({ !$0.isEmpty }) else {
            throw scanner.error("expected a field name", at: position)
        }
        return name
    }

    static func isTypeName(_ word: String) -> Bool {
        word.unicodeScalars.first.map { "A"..."Z" ~= $0 } ?? false
    }

    static func isLetterOrDigit(_ scalar: Unicode.Scalar?) -> Bool {
        isLetter(scalar) || scalar.map { "0"..."9" ~= $0 } ?? false
    }

    private static func isLetter(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map { "a"..."z" ~= $0 || "A"..."Z" ~= $0 } ?? false
    }
}
