// SPDX-License-Identifier: Apache-2.0

struct MembersDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: ValueDecoder
    /// The names in order, each once.
    private let names: [String]
    /// The values by the bytes of their names, since equal strings can differ in their scalars.
    private let values: [[UInt8]: JSON]

    init(_ object: JSONObject, decoder: ValueDecoder) {
        self.decoder = decoder
        var names: [String] = []
        var values: [[UInt8]: JSON] = [:]
        for member in object.members where values.updateValue(member.value, forKey: Array(member.name.utf8)) == nil {
            names.append(member.name)
        }
        self.names = names
        self.values = values
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { names.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool {
        member(key) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try value(key).decodeNil()
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try value(key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { superclass(JSONKey.superclass) }

    func superDecoder(forKey key: Key) -> any Decoder { superclass(key) }

    /// Returns a decoder for a superclass, which may lack properties: an absent member is `null` here.
    private func superclass(_ key: any CodingKey) -> ValueDecoder {
        decoder.child(member(key) ?? .null, key)
    }

    private func member(_ key: any CodingKey) -> JSON? {
        values[Array(key.stringValue.utf8)]
    }

    private func value(_ key: Key) throws -> ValueDecoder {
        guard let value = member(key) else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: codingPath, debugDescription: "missing"))
        }
        return decoder.child(value, key)
    }
}

struct ElementsDecoder: UnkeyedDecodingContainer {
    let elements: [JSON]
    let decoder: ValueDecoder
    private(set) var currentIndex = 0

    init(elements: [JSON], decoder: ValueDecoder) {
        self.elements = elements
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        let isNil = try next { $0.decodeNil() }
        if !isNil { currentIndex -= 1 }
        return isNil
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next { try $0.decode(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try next { $0 }
    }

    /// Reads the next element; after an error, the element remains the next.
    private mutating func next<Result>(_ read: (ValueDecoder) throws -> Result) throws -> Result {
        let key = JSONKey(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Result.self, DecodingError.Context(codingPath: codingPath + [key], debugDescription: "missing"))
        }
        let result = try read(decoder.child(elements[currentIndex], key))
        currentIndex += 1
        return result
    }
}
