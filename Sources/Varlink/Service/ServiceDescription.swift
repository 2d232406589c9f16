// SPDX-License-Identifier: Apache-2.0

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
    /// The methods of the service's own interfaces, with the interface names, in the order of their positions.
    package let methods: [String]
    /// All methods, beginning with the methods of `org.varlink.service`.
    private let names: NameTable
    private let schema: Schema
    /// The positions of all methods' parameters in the schema.
    private let inputs: [Int]

    /// The name and text of an interface; its types and methods are in the schema, which takes less memory.
    private struct Text: Sendable, Hashable {
        let name: String
        let text: String
    }

    package enum Resolution {
        /// It is answered by the description.
        case reply(Reply)
        /// The service answers it if it is valid; the method has this position in ``methods``.
        case method(Int)
    }

    /// Creates a description from the service's own interfaces, and adds `org.varlink.service`.
    public init(vendor: String, product: String, version: String, url: String, interfaces: [Interface]) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        let interfaces = [.service] + interfaces
        self.interfaces = interfaces.map { Text(name: $0.name, text: $0.text) }
        var names: [String] = []
        var inputs: [Int] = []
        var schema = Schema()
        for interface in interfaces {
            let types = schema.add(interface.types)
            for (name, method) in interface.methods.sorted(by: { $0.key < $1.key }) {
                names.append("\(interface.name).\(name)")
                inputs.append(schema.add(method.input, types))
            }
        }
        methods = Array(names.dropFirst(interfaces[0].methods.count))
        self.names = NameTable(names)
        (self.schema, self.inputs) = (schema, inputs)
    }

    /// Answers calls that need only the description: methods of `org.varlink.service`, and invalid calls.
    ///
    /// - Parameter call: Any call.
    /// - Returns: The answer, or `nil` if the call is valid and the service must answer it.
    public func answer(_ call: Call) -> Result<Reply, CallError>? {
        do throws(CallError) {
            switch try resolve(call) {
            case .reply(let reply): return .success(reply)
            case .method(let position): try validate(call, of: position)
            }
            return nil
        } catch {
            return .failure(error)
        }
    }

    package func resolve(_ call: Call) throws(CallError) -> Resolution {
        guard let position = call.position(in: names) else {
            let isMethod = interface(call.interface) != nil
            throw isMethod ? .methodNotFound(call.method) : .interfaceNotFound(call.interface)
        }
        let others = inputs.count &- methods.count
        guard position < others else { return .method(position &- others) }
        try schema.validate(call.parameters, inputs[position])
        guard call.member == "GetInterfaceDescription" else { return .reply(Reply(parameters: info)) }
        let name = call.parameters["interface"]?.stringValue ?? ""
        guard let described = interface(name) else { throw .interfaceNotFound(name) }
        return .reply(Reply(parameters: ["description": .string(described.text)]))
    }

    /// Checks a call of a method that has a position in ``methods``; see ``Interface/validate(_:)``.
    package func validate(_ call: Call, of method: Int) throws(CallError) {
        try schema.validate(call.parameters, inputs[inputs.count - methods.count + method])
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

        # A parameter is missing, unknown, of the wrong type or out of range. reason: why, in words for people;
        # 'unknown' if the service does not know the parameter, or the word that it has, as one of an earlier version.
        error InvalidParameter (parameter: string, reason: ?string)

        # The caller does not have permission.
        error PermissionDenied ()

        # The method must be called with 'more'.
        error ExpectedMore ()

        """
}
