// SPDX-License-Identifier: Apache-2.0

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
