// SPDX-License-Identifier: Apache-2.0

package import Varlink

package enum BusMethod: String, Sendable, CaseIterable {
    case subscribe = "org.reveille.Bus.Subscribe"
    case setState = "org.reveille.Bus.SetState"
    case getState = "org.reveille.Bus.GetState"
    case getHistory = "org.reveille.Bus.GetHistory"
    case listSubscriptions = "org.reveille.Bus.ListSubscriptions"
    case describeAspects = "org.reveille.Bus.DescribeAspects"
    case refresh = "org.reveille.Bus.Refresh"
    case post = "org.reveille.Bus.Post"
    case publish = "org.reveille.Bus.Publish"
    case observeDemand = "org.reveille.Bus.ObserveDemand"
    case beginTask = "org.reveille.Bus.BeginTask"
    case describeDevice = "org.reveille.Device.GetInfo"
    case check = "org.reveille.Device.Check"
    case addEntry = "org.reveille.Schedule.Add"
    case cancelEntry = "org.reveille.Schedule.Cancel"
    case listEntries = "org.reveille.Schedule.List"

    /// Whether a call has more than one reply, and must ask for them.
    var isStream: Bool {
        switch self {
        case .subscribe, .observeDemand, .beginTask: true
        default: false
        }
    }
}

/// The interfaces of the bus, which find the method of each call.
package struct BusMethods {
    package enum Resolution {
        /// It is answered by the description of the service.
        case reply(Reply)
        case call(BusCall)
    }

    private let description: ServiceDescription
    /// The methods by their positions in the description.
    private let methods: [BusMethod]

    /// Parses the interfaces; the version is for GetInfo.
    package init(version: String = "") {
        description = ServiceDescription(
            vendor: "Reveille", product: "reveille", version: version, url: "", interfaces: BusInterface.all())
        methods = description.methods.map { name in
            guard let method = BusMethod(rawValue: name) else { preconditionFailure("\(name) is not implemented") }
            return method
        }
    }

    /// Decodes a call, and checks it against its interface; a `hold` policy can keep `history` changes.
    package func resolve(_ call: Call, history: Int) throws(CallError) -> Resolution {
        switch try description.resolve(call) {
        case .reply(let reply): return .reply(reply)
        case .method(let position):
            var fields = Fields(call.object)
            do throws(CallError) {
                let decoded = try BusCall(&fields, of: methods[position], mode: call.mode, history: history)
                if !fields.areAllRead { try description.validate(call, of: position) }
                return .call(decoded)
            } catch {
                // A field of another type counts before a value that the method refuses.
                try description.validate(call, of: position)
                throw error
            }
        }
    }
}
