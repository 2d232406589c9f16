// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import Varlink

/// The interface `org.reveille.Device`; its text is the file `Interfaces/org.reveille.Device.varlink`, which the program
/// embeds.
package enum DeviceInterface {
    /// The interface's name.
    package static let name = "org.reveille.Device"

    /// Returns the interface, parsed from its text.
    package static func make() -> Interface { Interface(embedded: PackageResources.org_reveille_Device_varlink) }

    /// The most capabilities of one Check.
    ///
    /// Each takes time on the bus. A program requires dozens.
    package static let capabilityLimit = 1_024

    static func qualified(_ member: String) -> String {
        name + "." + member
    }
}

/// A call of the interface `org.reveille.Device`: a client encodes it, a service decodes it.
package enum DeviceCall: Sendable, Hashable {
    /// Asks for the description of the device; the reply is a `DeviceInfo`.
    case info
    /// Asks for capabilities by name; the reply is a list of ``CapabilityCheck``.
    case check([String])

    private static let names = NameTable(["GetInfo", "Check"].map(DeviceInterface.qualified))

    /// Decodes a call; `nil` for a call of another interface.
    ///
    /// - Parameter call: A call whose method and parameter types ``Interface/validate(_:)`` has passed.
    /// - Throws: `InvalidParameter` for too many capabilities.
    package init?(_ call: borrowing Call) throws(CallError) {
        guard let method = call.position(in: Self.names) else { return nil }
        guard method == 1 else {
            self = .info
            return
        }
        let fields = Fields(call.parameters)
        let names = try fields.strings(.capabilities)
        guard names.count <= DeviceInterface.capabilityLimit else { throw fields.invalid(.capabilities) }
        self = .check(names)
    }
}

extension Call {
    /// Encodes a call that describes the device.
    package init(_ call: DeviceCall) {
        switch call {
        case .info: self.init(method: DeviceInterface.qualified("GetInfo"))
        case .check(let names):
            self.init(
                method: DeviceInterface.qualified("Check"),
                parameters: ["capabilities": .array(names.map { .string($0) })])
        }
    }
}
