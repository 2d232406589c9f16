// SPDX-License-Identifier: Apache-2.0

/// The error of a failed call, which is sent to the caller and leaves the connection open.
public struct CallError: Error, Sendable, Hashable {
    /// The name with its interface, such as `org.example.Interface.Error`.
    public let name: String
    /// The details of the error.
    public let parameters: JSONObject
    /// The reason in words for people, which a reply has as the parameter `reason`.
    ///
    /// Errors that differ in it are equal.
    package let reason: String?

    /// Creates an error.
    public init(name: String, parameters: JSONObject = [:]) {
        self.init(name: name, parameters: parameters, reason: nil)
    }

    private init(name: String, parameters: JSONObject, reason: String?) {
        (self.name, self.parameters, self.reason) = (name, parameters, reason)
    }

    /// Creates the error of an error reply, or returns `nil` for other replies.
    public init?(_ reply: Reply) {
        guard let name = reply.error else { return nil }
        self.init(name: name, parameters: reply.parameters)
    }

    /// The parameters of a reply.
    package var details: JSONObject {
        guard let reason else { return parameters }
        return JSONObject(members: parameters.members + [JSONObject.Member(name: "reason", value: .string(reason))])
    }

    /// Compares the names and the details.
    public static func == (one: CallError, other: CallError) -> Bool {
        one.name == other.name && one.parameters == other.parameters
    }

    /// Hashes the name and the details.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(parameters)
    }
}

extension CallError: CustomStringConvertible {
    /// The name, followed by the parameters if there are any.
    public var description: String {
        details.isEmpty ? name : "\(name) \(details)"
    }
}

// The errors of `org.varlink.service`, which any method of any interface may return.

extension CallError {
    /// The service does not have the interface.
    public static func interfaceNotFound(_ interface: String) -> CallError {
        CallError(name: "org.varlink.service.InterfaceNotFound", parameters: ["interface": .string(interface)])
    }

    /// The interface does not have the method, which is given with its interface name.
    public static func methodNotFound(_ method: String) -> CallError {
        CallError(name: "org.varlink.service.MethodNotFound", parameters: ["method": .string(method)])
    }

    /// The interface declares the method, given with its interface name, but the service does not implement it.
    public static func methodNotImplemented(_ method: String) -> CallError {
        CallError(name: "org.varlink.service.MethodNotImplemented", parameters: ["method": .string(method)])
    }

    /// A parameter, given by a path such as `battery.level`, is missing, unknown, of the wrong type or out of range.
    public static func invalidParameter(_ parameter: String) -> CallError {
        invalidParameter(parameter, nil)
    }

    /// The error of an invalid parameter, with the reason in words that follow the parameter.
    package static func invalidParameter(_ parameter: String, _ reason: String?) -> CallError {
        CallError(
            name: "org.varlink.service.InvalidParameter", parameters: ["parameter": .string(parameter)], reason: reason)
    }

    /// The reason for a parameter that this service does not know, or that has a word it does not know.
    ///
    /// A caller of a later version may find that the service is of an earlier one.
    package static let unknown = "unknown"

    /// The caller does not have permission.
    public static let permissionDenied = CallError(name: "org.varlink.service.PermissionDenied")

    /// The method must be called with `more`.
    public static let expectedMore = CallError(name: "org.varlink.service.ExpectedMore")
}
