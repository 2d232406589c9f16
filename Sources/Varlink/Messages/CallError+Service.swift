// SPDX-License-Identifier: Apache-2.0

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
        CallError(name: "org.varlink.service.InvalidParameter", parameters: ["parameter": .string(parameter)])
    }

    /// The caller does not have permission.
    public static let permissionDenied = CallError(name: "org.varlink.service.PermissionDenied")

    /// The method must be called with `more`.
    public static let expectedMore = CallError(name: "org.varlink.service.ExpectedMore")
}
