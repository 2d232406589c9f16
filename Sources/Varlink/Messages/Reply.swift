// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a service sends: one answer to a call.
public struct Reply: Sendable, Hashable {
    /// What comes out, or what an error says; none is the same as `null`.
    public var parameters: JSONObject
    /// Whether more replies to the same call follow.
    public var continues: Bool
    /// The name of the error with its interface; `nil` when the call succeeded.
    public var error: String?

    /// Makes a reply of a call that succeeded.
    ///
    /// - Parameters:
    ///   - parameters: What comes out.
    ///   - continues: Whether more replies follow.
    public init(parameters: JSONObject = [:], continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
        error = nil
    }

    /// Makes the reply of a call that failed, which is always its last one.
    ///
    /// - Parameter error: Why it failed.
    public init(_ error: CallError) {
        parameters = error.parameters
        continues = false
        self.error = error.name
    }
}
