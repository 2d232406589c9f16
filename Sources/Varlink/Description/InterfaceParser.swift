// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Reads the definition of an interface, from its first line to its last.
struct InterfaceParser {
    var scanner: InterfaceScanner
    /// Where types are used that may be defined further down.
    var uses: [(name: String, position: Int)] = []

    private(set) var name = ""
    private(set) var types: [String: ValueType] = [:]
    private(set) var methods: [String: Interface.Method] = [:]
    private(set) var errors: [String: Structure] = [:]

    init(_ text: String) {
        scanner = InterfaceScanner(text)
    }

    /// Reads the whole text.
    mutating func interface() throws(InterfaceError) {
        scanner.skipSpace()
        guard scanner.skip("interface") else { throw failure("expected 'interface'") }
        try space()
        name = try interfaceName()
        try lineEnd()
        repeat {
            try member()
            try lineEnd()
        } while scanner.next != nil
        for use in uses where types[use.name] == nil {
            throw scanner.error("type '\(use.name)' is not defined", at: use.position)
        }
    }

    /// Reads a type, method or error.
    private mutating func member() throws(InterfaceError) {
        if scanner.skip("type") {
            let name = try memberName()
            types[name] = try structureOrEnumeration(depth: 1)
        } else if scanner.skip("method") {
            let name = try memberName()
            let input = try structure(depth: 1)
            scanner.skipSpace()
            try sign("->")
            scanner.skipSpace()
            methods[name] = Interface.Method(input: input, output: try structure(depth: 1))
        } else if scanner.skip("error") {
            let name = try memberName()
            errors[name] = try structure(depth: 1)
        } else {
            throw failure("expected 'type', 'method' or 'error'")
        }
    }

    /// Reads the name of a member, which no other member may have, with the space around it.
    private mutating func memberName() throws(InterfaceError) -> String {
        try space()
        let position = scanner.position
        let name = try typeName()
        guard types[name] == nil, methods[name] == nil, errors[name] == nil else {
            throw scanner.error("'\(name)' is defined twice", at: position)
        }
        scanner.skipSpace()
        return name
    }

    /// Passes over the end of a line, or of the text, and what is empty behind it.
    private mutating func lineEnd() throws(InterfaceError) {
        guard scanner.skipLineEnd() || scanner.next == nil else { throw failure("expected a line break") }
        scanner.skipSpace()
    }

    /// Passes over white space, of which there has to be some.
    private mutating func space() throws(InterfaceError) {
        let start = scanner.position
        scanner.skipSpace()
        guard scanner.position > start else { throw failure("expected a space") }
    }

    /// Passes over a sign that has to be there.
    mutating func sign(_ sign: String) throws(InterfaceError) {
        guard scanner.skip(sign) else { throw failure("expected '\(sign)'") }
    }

    /// The error for what is wrong where the parser stands.
    func failure(_ reason: String) -> InterfaceError {
        scanner.error(reason, at: scanner.position)
    }
}
