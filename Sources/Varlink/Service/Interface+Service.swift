// SPDX-License-Identifier: Apache-2.0

extension Interface {
    /// The interface that every service implements, which describes the service and its interfaces.
    ///
    /// It is parsed each time, since a service needs it only at its start.
    public static var service: Interface { Interface(embedded: serviceText) }

    /// Parses a definition that is a part of the program.
    package init(embedded text: String) {
        do throws(InterfaceError) {
            try self.init(parsing: text)
        } catch {
            preconditionFailure("an embedded interface does not parse: \(error)")
        }
    }

    private static let serviceText = """
        # Describes the service and its interfaces. Any method of any interface may return these errors.
        interface org.varlink.service

        # Returns the implementation and the names of all its interfaces, including this one.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # Returns the definition of an interface, including comments.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The service does not have the interface.
        error InterfaceNotFound (interface: string)

        # The interface does not have the method.
        error MethodNotFound (method: string)

        # The interface declares the method, but the service does not implement it.
        error MethodNotImplemented (method: string)

        # A parameter is missing, unknown, of the wrong type or out of range.
        error InvalidParameter (parameter: string)

        # The caller does not have permission.
        error PermissionDenied ()

        # The method must be called with 'more'.
        error ExpectedMore ()

        """
}
