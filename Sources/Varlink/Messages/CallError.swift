// SPDX-License-Identifier: Apache-2.0

/// The error of a failed call, which is sent to the caller and leaves the connection open.
public struct CallError: Error, Sendable, Hashable {
    /// The name with its interface, such as `org.example.Interface.Error`.
    public let name: String
    /// The details of the error.
    public let parameters: JSONObject

    /// Creates an error.
    public init(name: String, parameters: JSONObject = [:]) {
        self.name = name
        self.parameters = parameters
    }

    /// Creates the error of an error reply, or returns `nil` for other replies.
    public init?(_ reply: Reply) {
        guard let name = reply.error else { return nil }
        self.init(name: name, parameters: reply.parameters)
    }
}

extension CallError: CustomStringConvertible {
    /// The name, followed by the parameters if there are any.
    public var description: String {
        parameters.isEmpty ? name : "\(name) \(parameters)"
    }
}
