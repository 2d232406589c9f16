// SPDX-License-Identifier: Apache-2.0

struct InterfaceParser {
    var scanner: InterfaceScanner
    /// The uses of types, which may be defined further down.
    var uses: [(name: String, position: Int)] = []

    private(set) var name = ""
    private(set) var types: [String: ValueType] = [:]
    private(set) var methods: [String: Interface.Method] = [:]
    private(set) var errors: [String: Structure] = [:]

    init(_ text: String) {
        scanner = InterfaceScanner(text)
    }

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

    /// Parses the unique name of a member and the space around it.
    private mutating func memberName() throws(InterfaceError) -> String {
        try space()
        let position = scanner.position
        let name = try typeName()
        guard types[name] == nil, methods[name] == nil, errors[name] == nil else {
            throw scanner.error("duplicate definition of '\(name)'", at: position)
        }
        scanner.skipSpace()
        return name
    }

    /// Skips the end of a line, or of the text, and the empty lines after it.
    private mutating func lineEnd() throws(InterfaceError) {
        guard scanner.skipLineEnd() || scanner.next == nil else { throw failure("expected a line break") }
        scanner.skipSpace()
    }

    /// Skips white space, which is required.
    private mutating func space() throws(InterfaceError) {
        let start = scanner.position
        scanner.skipSpace()
        guard scanner.position > start else { throw failure("expected a space") }
    }

    mutating func sign(_ sign: String) throws(InterfaceError) {
        guard scanner.skip(sign) else { throw failure("expected '\(sign)'") }
    }

    func failure(_ reason: String) -> InterfaceError {
        scanner.error(reason, at: scanner.position)
    }
}
