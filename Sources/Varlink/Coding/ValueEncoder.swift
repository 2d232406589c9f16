// SPDX-License-Identifier: Apache-2.0

/// Encodes one value, and is the value's place in the result.
///
/// A type may fill in its containers in any order, and the result exists once all of them are complete.
final class ValueEncoder: Encoder {
    private enum Kind: String {
        case scalar = "a single value"
        case array = "an array"
        case object = "an object"
    }

    let codingPath: [any CodingKey]
    private let progress: CodingProgress
    private var kind: Kind?
    private var scalar = JSON.null
    private var children: [ValueEncoder] = []
    private var names: [String] = []
    /// The positions of members by the bytes of their names, since equal strings can differ in their scalars.
    private var positions: [[UInt8]: Int] = [:]

    init(at path: [any CodingKey], _ progress: CodingProgress) {
        codingPath = path
        self.progress = progress
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The result; an empty object if the type encoded nothing.
    var json: JSON {
        switch kind {
        case .scalar: scalar
        case .array: .array(children.map(\.json))
        case .object, nil:
            .object(JSONObject(members: zip(names, children).map { JSONObject.Member(name: $0, value: $1.json) }))
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        become(.object)
        return KeyedEncodingContainer(MembersEncoder(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        become(.array)
        return ElementsEncoder(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encode(_ value: some Encodable) throws {
        try progress.run(at: codingPath) { try value.encode(to: self) }
    }

    private func become(_ kind: Kind) {
        if let encoded = self.kind, encoded != kind {
            progress.fail(at: codingPath, "encoded as \(encoded.rawValue) and as \(kind.rawValue)")
        }
        if kind != .scalar, codingPath.count >= progress.maximumDepth { progress.failAsTooDeep(at: codingPath) }
        self.kind = kind
    }
}

// MARK: - Elements and members

extension ValueEncoder {
    var count: Int { children.count }

    /// Returns an encoder for a value that is not part of this array or object yet.
    func child(_ key: any CodingKey) -> ValueEncoder {
        ValueEncoder(at: codingPath + [key], progress)
    }

    func append(_ child: ValueEncoder) {
        children.append(child)
    }

    /// Sets a member, in place of an earlier member with an equal name.
    func set(_ child: ValueEncoder, forKey key: any CodingKey) {
        let name = Array(key.stringValue.utf8)
        if let position = positions[name] {
            children[position] = child
        } else {
            positions[name] = children.count
            names.append(key.stringValue)
            children.append(child)
        }
    }
}

// MARK: - Single values

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { encode(.null) }
    func encode(_ value: Bool) { encode(.bool(value)) }
    func encode(_ value: String) { encode(.string(value)) }

    func encode(_ value: Double) throws {
        guard value.isFinite else { throw unsuitable(value, "a finite number") }
        encode(.number(value))
    }

    func encode(_ value: Float) throws {
        guard value.isFinite else { throw unsuitable(value, "a finite number") }
        // The shortest notation of the same value: 0.1 is 0.10000000149011612 in the precision of `Double`.
        let short = Double(value.description) ?? Double(value)
        encode(.number(Float(short) == value ? short : Double(value)))
    }

    func encode<Integer: FixedWidthInteger & Encodable>(_ value: Integer) throws {
        guard let integer = Int64(exactly: value) else {
            throw unsuitable(value, "an integer from \(Int64.min) to \(Int64.max)")
        }
        encode(.integer(integer))
    }

    private func encode(_ value: JSON) {
        become(.scalar)
        scalar = value
    }

    private func unsuitable(_ value: some CustomStringConvertible, _ expected: String) -> EncodingError {
        .invalidValue(
            value,
            EncodingError.Context(codingPath: codingPath, debugDescription: "expected \(expected), found \(value)"))
    }
}
