// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// Parses one JSON text according to RFC 8259, surrounded only by white space.
    ///
    /// All members with equal names are kept. An integer outside the range of `Int64` becomes a
    /// ``JSON/number(_:)``.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - maximumDepth: The maximum nesting of arrays and objects.
    /// - Returns: The value.
    /// - Throws: ``JSONError`` with the position of the first error.
    public static func parse(
        _ bytes: [UInt8], maximumDepth: Int = Limits.jsonDepth
    ) throws(JSONError) -> JSON {
        try JSONText(parsing: bytes, maximumDepth: maximumDepth).value(at: 0)
    }
}

extension JSONText {
    init(parsing bytes: [UInt8], maximumDepth: Int = Limits.jsonDepth) throws(JSONError) {
        var nodes: [Node] = []
        try self.init(parsing: bytes, count: bytes.count, maximumDepth: maximumDepth, reusing: &nodes)
    }

    /// Parses the first bytes of an array with the memory of an earlier text, unless that is still used.
    init(
        parsing bytes: [UInt8], count: Int, maximumDepth: Int = Limits.jsonDepth, reusing nodes: inout [Node]
    ) throws(JSONError) {
        var parser = JSONParser(maximumDepth: maximumDepth, reusing: nodes)
        nodes = []
        try parser.text(bytes.span.extracting(first: count))
        self.init(
            bytes: parser.unescaped.isEmpty ? bytes : bytes.prefix(count) + parser.unescaped, nodes: parser.nodes)
        if parser.nodes.count <= JSONParser.reservedCount { nodes = parser.nodes }
    }
}

extension JSON {
    /// Returns whether a string, given in UTF-8, has more than ``Limits/marks`` combining marks in a row.
    ///
    /// Every parser checks this before it compares the string with anything.
    package static func hasTooManyMarks(_ text: Span<UInt8>) -> Bool {
        // A mark takes at least two bytes of UTF-8, and most strings are short.
        guard text.count > 2 * Limits.marks else { return false }
        do {
            var scalars = try UTF8Span(validating: text).makeUnicodeScalarIterator()
            var marks = 0
            while let scalar = scalars.next() {
                marks = scalar.isMark ? marks + 1 : 0
                if marks > Limits.marks { return true }
            }
        } catch {
            // The caller reports invalid UTF-8.
        }
        return false
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
