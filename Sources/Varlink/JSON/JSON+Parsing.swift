// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension JSON {
    /// Reads one JSON text as RFC 8259 has it, with nothing but white space around it.
    ///
    /// Members of equal names are all kept. An integer that `Int64` cannot hold is not an error;
    /// it becomes a ``JSON/number(_:)``.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - maximumDepth: How many arrays and objects may be nested.
    /// - Returns: The value.
    /// - Throws: ``JSONError`` with the first place that is wrong.
    public static func parse(
        _ bytes: [UInt8], maximumDepth: Int = Limits.jsonDepth
    ) throws(JSONError) -> JSON {
        var parser = JSONParser(maximumDepth: maximumDepth)
        return try parser.text(bytes.span)
    }

    /// Reads one JSON text from a part of an array; offsets in errors count from the part's start.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - maximumDepth: How many arrays and objects may be nested.
    /// - Returns: The value.
    /// - Throws: ``JSONError`` with the first place that is wrong.
    public static func parse(
        _ bytes: ArraySlice<UInt8>, maximumDepth: Int = Limits.jsonDepth
    ) throws(JSONError) -> JSON {
        var parser = JSONParser(maximumDepth: maximumDepth)
        return try parser.text(bytes.span)
    }
}
