// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A method of the bus and its parameters: a client encodes them, a service decodes and checks them.
package protocol BusMethod: Sendable, Hashable {
    /// The reply, or the first one.
    associatedtype Answer: BusReply
    /// The name with its interface.
    static var name: String { get }
    /// Whether a call has more than one reply, and must ask for them.
    static var isStream: Bool { get }
    /// Decodes and checks the parameters; a `hold` policy can keep `history` changes.
    init(_ fields: inout Fields, history: Int) throws(CallError)
    var parameters: JSONObject { get }
    var mode: Call.Mode { get }
}

extension BusMethod {
    package static var isStream: Bool { false }
    package var mode: Call.Mode { Self.isStream ? .more : .plain }

    /// Decodes a call, and checks it against its interface, in which the method has a position.
    @inlinable package static func decode(
        _ call: Call, at position: Int, of description: ServiceDescription, history: Int
    ) throws(CallError) -> Self {
        do throws(CallError) {
            guard !isStream || call.mode == .more else { throw .expectedMore }
            var fields = Fields(call.object)
            let method = try Self(&fields, history: history)
            if !fields.areAllRead { try description.validate(call, of: position) }
            return method
        } catch {
            // A field of another type counts before a value that the method refuses.
            try description.validate(call, of: position)
            throw error
        }
    }
}

/// A method without parameters.
package protocol BareMethod: BusMethod {
    init()
}

extension BareMethod {
    package init(_: inout Fields, history _: Int) { self.init() }
    package var parameters: JSONObject { [:] }
}

/// A call without any effect, which the description of the service answers with the product and its version.
///
/// Its reply shows that the bus has processed every earlier call of the connection, and that everything the bus sent
/// before, on any connection, can be read.
package struct Fence: BareMethod {
    package typealias Answer = EmptyReply
    package static var name: String { "org.varlink.service.GetInfo" }

    package init() {}
}

extension ServiceDescription {
    /// The description of the bus, which finds the position of the method of each call; the version is for GetInfo.
    package static func bus(version: String = "") -> ServiceDescription {
        ServiceDescription(
            vendor: "Reveille", product: "reveille", version: version, url: "man:reveille(7)",
            interfaces: BusInterface.all())
    }

    /// The methods of the bus by their positions.
    package var busMethods: [any BusMethod.Type] {
        methods.map { name in
            guard let method = BusInterface.methods.first(where: { $0.name == name }) else {
                preconditionFailure("\(name) is not implemented")
            }
            return method
        }
    }
}

extension Call {
    package init(_ method: some BusMethod, isOneway: Bool = false) {
        self.init(
            method: type(of: method).name, parameters: method.parameters, mode: isOneway ? .oneway : method.mode)
    }

    /// Creates a call of any method; a name without an interface is a method of the bus.
    package init(named name: String, parameters: JSONObject, mode: Mode) {
        let method = name.contains(".") ? name : BusInterface.qualified(name)
        self.init(method: method, parameters: parameters, mode: mode)
    }

    package static var fence: Call { Call(Fence()) }

    /// The method for messages: without its interface, if that is one of the bus.
    package var shortName: String { interface.hasPrefix("org.reveille.") ? member : method }
}
