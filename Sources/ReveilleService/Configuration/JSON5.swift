// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

private import FoundationEssentials
import Varlink

/// Reads JSON5: JSON with comments, unquoted names and trailing commas.
enum JSON5 {
    /// Parses a text.
    ///
    /// - Throws: `ConfigurationError` with what the parser says of the place.
    static func parse(_ text: [UInt8]) throws(ConfigurationError) -> JSON {
        guard !hasOpenExponent(text) else {
            throw ConfigurationError(key: nil, reason: "not JSON5: a number whose exponent has no digits")
        }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            return try decoder.decode(Value.self, from: Data(text)).json
        } catch {
            throw ConfigurationError(key: nil, reason: "not JSON5: \(JSON5.reason(of: error))")
        }
    }

    /// Whether a number ends behind its exponent's letter or sign, as in `1E+`: Foundation ends the process there.
    ///
    /// Looks at words wherever they stand; in a comment or a text such a word is as good as a mistake.
    private static func hasOpenExponent(_ text: [UInt8]) -> Bool {
        let words = text.split { byte in
            let isWord = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            return !isWord && !"+-.".utf8.contains(byte)
        }
        return words.contains { word in
            let digits = word.drop { "+-.".utf8.contains($0) }
            guard let first = digits.first, (0x30...0x39).contains(first) else { return false }
            let exponent = digits.drop { $0 & 0xDF != UInt8(ascii: "E") }.dropFirst()
            let isNumber = digits.prefix { $0 & 0xDF != UInt8(ascii: "E") }.allSatisfy { $0 < 0x3A }
            return isNumber && digits.contains { $0 & 0xDF == UInt8(ascii: "E") }
                && !exponent.contains { (0x30...0x39).contains($0) }
        }
    }

    /// What the parser says of the place, without the words around it.
    private static func reason(of error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return "\(error)" }
        return context.underlyingError.map { "\($0)" } ?? context.debugDescription
    }

    private struct Value: Decodable {
        let json: JSON

        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: Name.self) {
                var object = JSONObject()
                for name in container.allKeys {
                    object[name.stringValue] = try container.decode(Value.self, forKey: name).json
                }
                json = .object(object)
            } else if var container = try? decoder.unkeyedContainer() {
                var values: [JSON] = []
                while !container.isAtEnd { values.append(try container.decode(Value.self).json) }
                json = .array(values)
            } else {
                json = try Value.scalar(decoder.singleValueContainer())
            }
        }

        private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSON {
            if container.decodeNil() { return .null }
            if let value = try? container.decode(Bool.self) { return .bool(value) }
            if let value = try? container.decode(Int64.self) { return .integer(value) }
            if let value = try? container.decode(Double.self) { return .number(value) }
            return .string(try container.decode(String.self))
        }
    }
}
