// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// Creates the JSON form of a value.
    ///
    /// Integers must have at most 64 bits and be in the range of `Int64`, and other numbers must be finite. A `nil`
    /// property is absent from its object unless its type encodes it as `null`. An object keeps the order in which its
    /// members are encoded.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - maximumDepth: The maximum nesting of arrays and objects.
    /// - Throws: ``JSONCodingError``.
    public init(
        encoding value: some Encodable, maximumDepth: Int = Limits.jsonDepth
    ) throws(JSONCodingError) {
        let progress = CodingProgress(maximumDepth: maximumDepth)
        let root = ValueEncoder(at: [], progress)
        do {
            try root.encode(value)
        } catch {
            throw progress.error(for: error)
        }
        if let failure = progress.failure { throw failure }
        self = root.json
    }

    /// Returns the value as a value of a type.
    ///
    /// Optional properties are `nil` if their member is absent or `null`. An integer property accepts any notation of a
    /// whole number in the range of `Int64`, such as `1.0` or `1e3`. A floating-point property accepts integers too,
    /// and rounds to its precision. Among members with equal names, the last counts.
    ///
    /// - Throws: ``JSONCodingError``, for example if the type reads arrays and objects nested deeper than
    ///   ``Limits/jsonDepth``.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(JSONCodingError) -> Value {
        let progress = CodingProgress(maximumDepth: Limits.jsonDepth)
        let value: Value
        do {
            value = try ValueDecoder(self, at: [], progress).decode(type)
        } catch {
            throw progress.error(for: error)
        }
        if let failure = progress.failure { throw failure }
        return value
    }
}
