// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

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
        var parser = JSONParser(maximumDepth: maximumDepth)
        return try parser.text(bytes.span)
    }
}
