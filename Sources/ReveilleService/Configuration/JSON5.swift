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
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            return try decoder.decode(Value.self, from: Data(text)).json
        } catch {
            throw ConfigurationError(key: nil, reason: "not JSON5: \(JSON5.reason(of: error))")
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
