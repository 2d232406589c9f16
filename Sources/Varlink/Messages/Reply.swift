// SPDX-License-Identifier: Apache-2.0

/// A reply to a call, as a service sends it.
public struct Reply: Sendable, Hashable {
    /// The results, or the details of an error, where an empty object is equivalent to `null`.
    public var parameters: JSONObject
    /// Whether more replies to the call follow.
    public var continues: Bool
    /// The name of the error with its interface, or `nil` if the call succeeded.
    public var error: String?

    /// Creates the reply to a successful call.
    public init(parameters: JSONObject = [:], continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
        error = nil
    }

    /// Creates the reply to a failed call, which is always the last one.
    public init(_ error: CallError) {
        parameters = error.parameters
        continues = false
        self.error = error.name
    }
}
