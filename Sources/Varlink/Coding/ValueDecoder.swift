// SPDX-License-Identifier: Apache-2.0

struct ValueDecoder: Decoder {
    let value: JSON
    let codingPath: [any CodingKey]
    private let progress: CodingProgress

    init(_ value: JSON, at path: [any CodingKey], _ progress: CodingProgress) {
        self.value = value
        codingPath = path
        self.progress = progress
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch(JSONObject.self, "an object") }
        try descend()
        return KeyedDecodingContainer(MembersDecoder(object, decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSON].self, "an array") }
        try descend()
        return ElementsDecoder(elements: elements, decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// Returns a decoder for a value in this array or object.
    func child(_ value: JSON, _ key: any CodingKey) -> ValueDecoder {
        ValueDecoder(value, at: codingPath + [key], progress)
    }

    private func descend() throws {
        guard codingPath.count < progress.maximumDepth else { throw progress.failAsTooDeep(at: codingPath) }
    }
}

// MARK: - Single values

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let bool = value.boolValue else { throw mismatch(type, "a boolean") }
        return bool
    }

    func decode(_ type: String.Type) throws -> String {
        guard let string = value.stringValue else { throw mismatch(type, "a string") }
        return string
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let number = value.numberValue else { throw mismatch(type, "a number") }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float {
        let number = Float(try decode(Double.self))
        guard number.isFinite else { throw unsuitable("a number in the range of Float") }
        return number
    }

    func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws -> Integer {
        let whole: Int64?
        switch value {
        case .integer(let value): whole = value
        case .number(let value): whole = Int64(exactly: value)
        default: throw mismatch(type, "an integer")
        }
        guard let integer = whole.flatMap(Integer.init(exactly:)) else {
            // The parser has rounded integers beyond the range of `Int64`, so that they are refused in any type.
            let limits = (Int64(clamping: Integer.min), Int64(clamping: Integer.max))
            throw unsuitable("an integer from \(limits.0) to \(limits.1)")
        }
        return integer
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try progress.run(at: codingPath) { try Value(from: self) }
    }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = context("expected \(expected), found \(value.kind)")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func unsuitable(_ expected: String) -> DecodingError {
        .dataCorrupted(context("expected \(expected), found \(value)"))
    }

    private func context(_ description: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: description)
    }
}

extension JSON {
    /// The kind of the value, with an article.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
