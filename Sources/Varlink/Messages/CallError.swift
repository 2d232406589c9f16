// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Why a call failed, as the caller learns it.
///
/// The connection goes on.
public struct CallError: Error, Sendable, Hashable {
    /// The name with its interface, as `org.example.Interface.Error`.
    public let name: String
    /// What there is to say about it.
    public let parameters: JSONObject

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - name: The name with its interface.
    ///   - parameters: What there is to say about it.
    public init(name: String, parameters: JSONObject = [:]) {
        self.name = name
        self.parameters = parameters
    }

    /// Makes the error that a reply brings.
    ///
    /// - Parameter reply: A reply; one without an error gives `nil`.
    public init?(_ reply: Reply) {
        guard let name = reply.error else { return nil }
        self.init(name: name, parameters: reply.parameters)
    }
}

extension CallError: CustomStringConvertible {
    /// The name, and the parameters if there are any.
    public var description: String {
        parameters.isEmpty ? name : "\(name) \(parameters)"
    }
}
