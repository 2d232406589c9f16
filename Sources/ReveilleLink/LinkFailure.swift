// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem
package import Varlink

/// The reason why a ``BusLink`` has no connection.
package enum LinkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no bus at the places where one could be.
    case absent(String)
    case unreachable(SystemError)
    /// The owner of the link needs no bus any more.
    case closed
    /// The bus closed the connection.
    case ended
    case invalid(VarlinkError)
    /// The bus did not answer in time; the name of the method, if there was one call.
    case unanswered(String?, within: Duration)

    package var description: String {
        switch self {
        case .absent(let places): "there is no bus at \(places)"
        case .unreachable(let error): "\(error)"
        case .closed: "the device is closed"
        case .ended: "the bus closed the connection"
        case .invalid(let error): "the bus sent invalid Varlink: \(error)"
        case .unanswered(let method, let patience):
            (method.map { $0 + ": " } ?? "") + "the bus did not answer within \(patience)"
        }
    }

    /// Runs a body that reaches a bus.
    package static func reaching<Value>(_ body: () throws(SystemError) -> Value) throws(LinkFailure) -> Value {
        try Result(catching: body).mapError { LinkFailure.unreachable($0) }.get()
    }

    /// Whether the listener's queue had no room.
    var isQueueFull: Bool {
        if case .unreachable(let error) = self { error.isQueueFull } else { false }
    }
}
