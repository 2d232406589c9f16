// SPDX-License-Identifier: Apache-2.0

struct MembersEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) {
        place(key).encodeNil()
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        let child = encoder.child(key)
        try child.encode(value)
        encoder.set(child, forKey: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        place(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        place(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { place(JSONKey.superclass) }

    func superEncoder(forKey key: Key) -> any Encoder { place(key) }

    private func place(_ key: any CodingKey) -> ValueEncoder {
        let child = encoder.child(key)
        encoder.set(child, forKey: key)
        return child
    }
}

struct ElementsEncoder: UnkeyedEncodingContainer {
    let encoder: ValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.count }

    func encodeNil() {
        place().encodeNil()
    }

    func encode(_ value: some Encodable) throws {
        let child = encoder.child(JSONKey(intValue: count))
        try child.encode(value)
        encoder.append(child)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        place().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        place().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { place() }

    private func place() -> ValueEncoder {
        let child = encoder.child(JSONKey(intValue: count))
        encoder.append(child)
        return child
    }
}
