// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The description of a service and its interfaces.
public struct ServiceDescription: Sendable, Hashable {
    /// The vendor of the service.
    public let vendor: String
    /// The product that the service is part of.
    public let product: String
    /// The version of the service.
    public let version: String
    /// The URL of the service's documentation.
    public let url: String
    /// All interfaces, beginning with `org.varlink.service`.
    public let interfaces: [Interface]

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - vendor: The vendor of the service.
    ///   - product: The product that the service is part of.
    ///   - version: The version of the service.
    ///   - url: The URL of the service's documentation.
    ///   - interfaces: The service's own interfaces; `org.varlink.service` is added.
    public init(vendor: String, product: String, version: String, url: String, interfaces: [Interface]) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = [.service] + interfaces
    }

    /// Answers calls that need only the description: methods of `org.varlink.service`, and invalid calls.
    ///
    /// - Parameter call: Any call.
    /// - Returns: The answer, or `nil` if the call is valid and the service must answer it.
    public func answer(_ call: Call) -> Result<Reply, CallError>? {
        guard let interface = interface(call.interface) else {
            return .failure(.interfaceNotFound(call.interface))
        }
        do throws(CallError) {
            try interface.validate(call)
            guard interface.name == Interface.service.name else { return nil }
            return .success(Reply(parameters: try serviceReply(call)))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the reply to a valid call of `org.varlink.service`.
    private func serviceReply(_ call: Call) throws(CallError) -> JSONObject {
        switch call.member {
        case "GetInterfaceDescription":
            let name = call.parameters["interface"]?.stringValue ?? ""
            guard let interface = interface(name) else { throw .interfaceNotFound(name) }
            return ["description": .string(interface.text)]
        default:
            return info
        }
    }

    private var info: JSONObject {
        [
            "vendor": .string(vendor),
            "product": .string(product),
            "version": .string(version),
            "url": .string(url),
            "interfaces": .array(interfaces.map { .string($0.name) }),
        ]
    }

    private func interface(_ name: String) -> Interface? {
        interfaces.first { $0.name == name }
    }
}
