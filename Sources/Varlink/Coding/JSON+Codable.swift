// SPDX-License-Identifier: Apache-2.0

extension JSON: Codable {
    /// Encodes the value as it is, so that a type can have an untyped part.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let elements): return try elements.encode(to: encoder)
        case .object(let object): return try object.encode(to: encoder)
        default: break
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .null, .array, .object: try container.encodeNil()
        }
    }

    /// Decodes any value.
    public init(from decoder: any Decoder) throws {
        // Another decoder cannot distinguish 1 from 1.0, and reports its values only one type at a time.
        if let decoder = decoder as? ValueDecoder {
            self = decoder.value
        } else if let object = try? JSONObject(from: decoder) {
            self = .object(object)
        } else if let elements = try? [JSON](from: decoder) {
            self = .array(elements)
        } else {
            self = try JSON(scalarIn: decoder.singleValueContainer())
        }
    }

    private init(scalarIn container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }
}

extension JSONObject: Codable {
    /// Encodes the members in their order; among members with equal names, only the last.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        for member in members {
            try container.encode(member.value, forKey: JSONKey(stringValue: member.name))
        }
    }

    /// Decodes the members of an object.
    public init(from decoder: any Decoder) throws {
        if let object = (decoder as? ValueDecoder)?.value.objectValue {
            self = object
        } else {
            let container = try decoder.container(keyedBy: JSONKey.self)
            self.init(
                members: try container.allKeys.map { key in
                    Member(name: key.stringValue, value: try container.decode(JSON.self, forKey: key))
                })
        }
    }
}
