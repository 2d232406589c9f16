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
    private let interfaces: [Text]
    /// The full names of all methods.
    private let names: NameTable
    /// The methods in the order of their names.
    private let methods: [Method]
    /// The parameters of calls.
    private let schema: Schema

    /// What remains of an interface: its types and methods are in the schema, which takes less memory.
    private struct Text: Sendable, Hashable {
        let name: String
        let text: String
    }

    private struct Method: Sendable, Hashable {
        /// The index of its interface.
        let interface: Int
        /// The position of its parameters in the schema.
        let input: Int
    }

    /// Creates a description from the service's own interfaces, to which `org.varlink.service` is added.
    public init(vendor: String, product: String, version: String, url: String, interfaces: [Interface]) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        let interfaces = [.service] + interfaces
        self.interfaces = interfaces.map { Text(name: $0.name, text: $0.text) }
        var names = NameTable()
        var methods: [Method] = []
        var schema = Schema()
        for (index, interface) in interfaces.enumerated() {
            let types = schema.add(interface.types)
            for (name, method) in interface.methods.sorted(by: { $0.key < $1.key }) {
                names.append("\(interface.name).\(name)")
                methods.append(Method(interface: index, input: schema.add(method.input, types)))
            }
        }
        (self.names, self.methods, self.schema) = (names, methods, schema)
    }

    /// Answers calls that need only the description: methods of `org.varlink.service`, and invalid calls.
    ///
    /// - Parameter call: Any call.
    /// - Returns: The answer, or `nil` if the call is valid and the service must answer it.
    public func answer(_ call: Call) -> Result<Reply, CallError>? {
        guard let position = call.position(in: names) else {
            let isMethod = interface(call.interface) != nil
            return .failure(isMethod ? .methodNotFound(call.method) : .interfaceNotFound(call.interface))
        }
        do throws(CallError) {
            let method = methods[position]
            try schema.validate(call.parameters, method.input)
            // The first interface is `org.varlink.service`.
            guard method.interface == 0 else { return nil }
            guard call.member == "GetInterfaceDescription" else { return .success(Reply(parameters: info)) }
            let name = call.parameters["interface"]?.stringValue ?? ""
            guard let described = self.interface(name) else { throw .interfaceNotFound(name) }
            return .success(Reply(parameters: ["description": .string(described.text)]))
        } catch {
            return .failure(error)
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

    /// Compares bytes, since equal strings can differ in their scalars.
    private func interface(_ name: String) -> Text? {
        interfaces.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}
