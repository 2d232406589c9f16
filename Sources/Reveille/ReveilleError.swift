// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleLink
import ReveilleSystem
import ReveilleWire
package import Varlink

/// The failure of an operation of a ``Device``: a code for programs, and one line for people.
///
/// ```swift
/// do {
///     let device = try await Device.connect()
///     print(try await device.state(of: .battery))
/// } catch let error as ReveilleError where error.code == .noBus {
///     print("no bus:", error)
/// }
/// ```
///
/// See <doc:HandlingErrors>.
public struct ReveilleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure.
    ///
    /// Later versions may add codes, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code: `noBus`.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// No bus answers at the address.
        public static let noBus = Code("noBus")
        /// The program itself has closed the device.
        public static let closed = Code("closed")
        /// The bus did not answer in time.
        public static let timeout = Code("timeout")
        /// This process does not have the permission.
        public static let notPermitted = Code("notPermitted")
        /// A limit of the bus is reached, such as the limit of connections, or of names that this user publishes.
        public static let quotaExceeded = Code("quotaExceeded")
        /// An argument, a policy or the configuration is invalid.
        public static let invalidArgument = Code("invalidArgument")
        /// A published value does not have the requested type.
        public static let unexpectedValue = Code("unexpectedValue")
        /// The bus has no subscription with the identifier.
        public static let noSuchSubscription = Code("noSuchSubscription")
        /// This user has no entry with the name on the schedule.
        public static let noSuchEntry = Code("noSuchEntry")
        /// The program cannot be suspended, or was woken first; it is in the background all the same.
        public static let cannotSuspend = Code("cannotSuspend")
        /// The bus does not have the requested method, parameter or aspect; it may be of an earlier version.
        public static let notSupported = Code("notSupported")
        /// The bus sent a reply that its interface does not allow.
        public static let invalidReply = Code("invalidReply")
        /// The system lacks the resources.
        public static let system = Code("system")
    }

    /// The kind of the failure.
    public let code: Code
    /// The operation that failed, its subject, and the reason.
    public let description: String
    /// The details of a refusal by the bus, as text: the names and values of the error in the interface.
    ///
    /// For ``Code/quotaExceeded``, `quota` is the limit that was reached and `limit` its size: `["quota": "names",
    /// "limit": "1024"]`. For ``Code/invalidArgument``, `parameter` is the argument, and `reason` the rule. The
    /// dictionary is empty if the bus was not asked.
    public let parameters: [String: String]

    package init(_ code: Code, _ description: String, parameters: [String: String] = [:]) {
        self.code = code
        self.description = description
        self.parameters = parameters
    }

    /// The same failure, of a subject that comes first in its description.
    func of(_ subject: String) -> ReveilleError {
        ReveilleError(code, "\(subject): \(description)", parameters: parameters)
    }

    package init(_ failure: LinkFailure) {
        switch failure {
        case .absent(let places): self = .noBus(at: places)
        case .unreachable(let error): self.init(reaching: error)
        case .closed: self.init(.closed, "\(failure)")
        case .ended: self.init(.noBus, "\(failure)")
        case .invalid: self.init(.invalidReply, "\(failure)")
        case .unanswered: self.init(.timeout, "\(failure)")
        }
    }

    private init(reaching error: SystemError) {
        if let path = error.subject, [ENOENT, ECONNREFUSED].contains(error.code) {
            self = .noBus(at: "unix:" + path)
            return
        }
        switch error.code {
        case EAGAIN where error.isQueueFull: self.init(.timeout, "\(error)")
        case EACCES, EPERM: self.init(.notPermitted, "\(error)")
        case EAGAIN, EMFILE, ENFILE, ENOMEM: self.init(.system, "\(error)")
        default: self.init(.noBus, "\(error); is 'reveille serve' running?")
        }
    }

    /// Runs a body, and turns its system error into a lack of resources.
    static func requiring<Value>(_ body: () throws(SystemError) -> Value) throws(ReveilleError) -> Value {
        try Result(catching: body).mapError { ReveilleError(.system, "\($0)") }.get()
    }

    /// Runs a body that reaches a bus, and turns its failure into the reason why there is none.
    static func reaching<Value>(_ body: () throws(LinkFailure) -> Value) throws(ReveilleError) -> Value {
        try Result(catching: body).mapError { ReveilleError($0) }.get()
    }

    /// Whether the bus was away or silent, and may answer later.
    package var isLoss: Bool { code == .noBus || code == .timeout || code == .closed }

    package init(answered error: CallError, to method: String) {
        let code: Code =
            switch error.name {
            case _ where error.isUnsupported: .notSupported
            case CallError.permissionDenied.name: .notPermitted
            case CallError.quotaExceeded(.value, limit: 0).name: .quotaExceeded
            case CallError.noSuchSubscription("").name: .noSuchSubscription
            case CallError.noSuchEntry("").name: .noSuchEntry
            case CallError.cannotSuspend("").name: .cannotSuspend
            default: .invalidArgument
            }
        let question = code == .notSupported ? "; is it an earlier version?" : ""
        self.init(code, "\(method): \(error.explanation(for: method))\(question)", parameters: error.textParameters)
    }

    private static func noBus(at places: String) -> ReveilleError {
        let (manager, unit) = geteuid() == 0 ? ("system", "") : ("user", "--user ")
        // The address of the units, by its name.
        let hasUnit =
            places.hasSuffix("/reveille/org.reveille.Bus")
            && access("/usr/lib/systemd/\(manager)/reveille.socket", F_OK) == 0
        let advice =
            hasUnit ? "start it with 'systemctl \(unit)start reveille.socket'" : "is 'reveille serve' running?"
        return ReveilleError(.noBus, "there is no bus at \(places); \(advice)")
    }

    static let closed = ReveilleError(LinkFailure.closed)
}

extension BusLink {
    /// Calls a method, and decodes each reply.
    func call<Method: BusMethod>(
        _ method: Method, isOpening: Bool = false, onReply: @escaping (Result<Method.Answer, ReveilleError>) -> Void
    ) {
        let call = Call(method)
        self.call(call, isOpening: isOpening) { result in
            onReply(
                Result { () throws(ReveilleError) in
                    try .init(try ReveilleError.reaching { () throws(LinkFailure) in try result.get() }, to: call)
                })
        }
    }
}

extension BusReply {
    init(_ reply: Reply, to call: Call) throws(ReveilleError) {
        if let error = CallError(reply) { throw ReveilleError(answered: error, to: call.shortName) }
        do throws(CallError) {
            try self.init(reply.parameters, noting: UnknownWords())
        } catch {
            throw ReveilleError(.invalidReply, "\(call.shortName): the interface does not allow the reply: \(error)")
        }
    }
}
