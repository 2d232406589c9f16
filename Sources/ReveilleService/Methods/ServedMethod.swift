// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

/// A method as the server carries it out.
protocol ServedMethod: BusMethod {
    /// Replies now or later; a thrown error is the reply.
    func carryOut(by server: BusServer, on connection: Connection) throws(CallError)

    /// Answers a call of the method, which has a position in the description; a requirement, so that each method has
    /// code of its own.
    static func answer(
        _ call: Call, at position: Int, by server: BusServer, on connection: Connection
    ) throws(CallError)
}

extension ServedMethod {
    static func answer(
        _ call: Call, at position: Int, by server: BusServer, on connection: Connection
    ) throws(CallError) {
        let method = try decode(call, at: position, of: server.methods.description, history: server.bus.history)
        try method.carryOut(by: server, on: connection)
    }
}

/// A method whose call can have further replies, until it ends or the connection closes.
protocol LastingMethod: ServedMethod {
    /// Makes the next reply, if there still is one; the peer has read the last one.
    static func replyFurther(by server: BusServer, on connection: Connection)
}

/// The methods of the bus, which find that of each call.
struct ServedMethods {
    /// The calls by which `reveille status` and `reveille doctor` show who has taken all connections.
    private static let alwaysAnswered: Set = [DescribeAspects.name, DescribeDevice.name, ListSubscriptions.name]

    fileprivate let description: ServiceDescription
    /// The methods by their positions in the description.
    private let methods: [any ServedMethod.Type]

    /// Creates the methods; the version is for GetInfo.
    init(version: String) {
        description = .bus(version: version)
        methods = description.busMethods.compactMap { $0 as? any ServedMethod.Type }
        precondition(methods.count == description.busMethods.count, "a method is not carried out")
    }

    /// Returns whether a call is answered on a connection over a limit too: it changes nothing, and does not last.
    func isAlwaysAnswered(_ call: Call) -> Bool {
        call.mode == .plain && (call.interface == "org.varlink.service" || Self.alwaysAnswered.contains(call.method))
    }

    func answer(_ call: Call, by server: BusServer, on connection: Connection) throws(CallError) {
        switch try description.resolve(call) {
        case .reply(let reply): server.send(connection.session.reply(reply.parameters), to: connection)
        case .method(let position): try methods[position].answer(call, at: position, by: server, on: connection)
        }
    }
}
