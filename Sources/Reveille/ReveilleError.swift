// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleWire
import Varlink

/// Why something of a ``Device`` failed: a code to tell failures apart by, and a line for people.
public struct ReveilleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What programs can tell failures apart by.
    public enum Code: Sendable, Hashable {
        /// No bus answers at the address.
        case noBus
        /// The bus did not answer in time.
        case timeout
        /// This process may not do that.
        case notPermitted
        /// The bus has no room for another connection of this user.
        case quotaExceeded
        /// An argument, a policy or the configuration means nothing to the bus.
        case invalidArgument
        /// There is no subscription of that name.
        case noSuchSubscription
        /// What the bus sent is not of its interface.
        case invalidReply
        /// The system has no room for what was asked.
        case system
    }

    /// What kind of failure it is.
    public let code: Code
    /// What was tried, on what, and why it failed.
    public let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    init(reaching error: SystemError) {
        switch error.code {
        case EAGAIN where error.isQueueFull: self.init(.timeout, "\(error)")
        case EACCES, EPERM: self.init(.notPermitted, "\(error)")
        case EAGAIN, EMFILE, ENFILE, ENOMEM: self.init(.system, "\(error)")
        default: self.init(.noBus, "\(error); is 'reveille serve' running?")
        }
    }

    init(answered error: CallError, to method: String) {
        let code: Code =
            switch error.name {
            case CallError.permissionDenied.name: .notPermitted
            case CallError.quotaExceeded("", limit: 0).name: .quotaExceeded
            case CallError.noSuchSubscription("").name: .noSuchSubscription
            default: .invalidArgument
            }
        self.init(code, "\(method): \(error)")
    }

    static let ended = ReveilleError(.noBus, "the bus closed the connection")
}
