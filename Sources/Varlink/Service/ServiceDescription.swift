// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a service says of itself, and which interfaces it has.
public struct ServiceDescription: Sendable, Hashable {
    /// Who makes the service.
    public let vendor: String
    /// What it is part of.
    public let product: String
    /// Its version.
    public let version: String
    /// Where to read about it.
    public let url: String
    /// All interfaces, `org.varlink.service` first.
    public let interfaces: [Interface]

    /// Describes a service.
    ///
    /// - Parameters:
    ///   - vendor: Who makes the service.
    ///   - product: What it is part of.
    ///   - version: Its version.
    ///   - url: Where to read about it.
    ///   - interfaces: Its own interfaces; `org.varlink.service` is added.
    public init(vendor: String, product: String, version: String, url: String, interfaces: [Interface]) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = [.service] + interfaces
    }

    /// Answers what needs nothing of the service but its description: the methods of
    /// `org.varlink.service`, and calls that no interface allows.
    ///
    /// - Parameter call: Any call.
    /// - Returns: The answer; `nil` when the call is valid and the service's own to answer.
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

    /// The reply to a valid call of `org.varlink.service`.
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
