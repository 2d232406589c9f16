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

/// The progress of one conversion, which all of its coders share.
final class CodingProgress {
    /// The maximum number of values whose code runs within each other's.
    ///
    /// Optionals and other wrappers run code without adding a level of JSON. Four values for each level are more than
    /// types need, and still use little stack.
    private static let maximumCalls = 4 * Limits.jsonDepth

    let maximumDepth: Int
    /// The path of the value whose code runs or, after an error, of the value whose code threw it.
    private(set) var path: [any CodingKey] = []
    /// The first error that ends the conversion even if the code of a type catches it.
    private(set) var failure: JSONCodingError?
    private var calls = 0

    init(maximumDepth: Int) {
        self.maximumDepth = maximumDepth
    }

    /// Runs the code with which a type encodes or decodes the value at a path.
    func run<Result>(at path: [any CodingKey], _ code: () throws -> Result) throws -> Result {
        if let failure { throw failure }
        guard calls < Self.maximumCalls else {
            throw fail(at: path, "more than \(Self.maximumCalls) values are coded within each other")
        }
        calls += 1
        defer { calls -= 1 }
        let outer = self.path
        self.path = path
        let result = try code()
        self.path = outer
        return result
    }

    @discardableResult
    func fail(at path: [any CodingKey], _ reason: String) -> JSONCodingError {
        let failure = failure ?? JSONCodingError(at: path, reason)
        self.failure = failure
        return failure
    }

    @discardableResult
    func failAsTooDeep(at path: [any CodingKey]) -> JSONCodingError {
        fail(at: path, "\(JSONError.Reason.tooDeep(maximum: maximumDepth))")
    }

    /// Returns the error of the conversion for an error that the outermost value threw.
    func error(for error: any Error) -> JSONCodingError {
        failure ?? JSONCodingError(error, at: path)
    }
}

/// A key that no type declares: the index of an element, the superclass, or a member of an untyped object.
struct JSONKey: CodingKey {
    static let superclass = JSONKey(stringValue: "super")

    let stringValue: String
    /// The index of an element, or `nil` for a member.
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}
