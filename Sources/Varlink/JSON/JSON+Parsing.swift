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
