// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Interface {
    /// The interface that every service implements, which describes the service and its interfaces.
    public static let service: Interface = {
        do {
            return try Interface(parsing: serviceText)
        } catch {
            preconditionFailure("org.varlink.service: \(error)")
        }
    }()

    private static let serviceText = """
        # What this service is, and the interfaces it has. The errors may come from any method of any
        # interface.
        interface org.varlink.service

        # The implementation, and the names of all its interfaces, this one among them.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # The definition of an interface, comments included.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The service does not have the interface.
        error InterfaceNotFound (interface: string)

        # The interface does not have the method.
        error MethodNotFound (method: string)

        # The interface has the method, but the service does not.
        error MethodNotImplemented (method: string)

        # A parameter is missing, unknown, of the wrong type or out of range.
        error InvalidParameter (parameter: string)

        # The caller may not do that.
        error PermissionDenied ()

        # The method has to be called with 'more'.
        error ExpectedMore ()

        """
}
