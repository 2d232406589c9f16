// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

enum ConnectionPhase {
    /// The peer has not called yet.
    case new
    /// The connection is over a limit, and closes once the error, which answers its call, is written.
    case dismissed
    /// The peer has called, and has no subscription.
    case serving
    /// A Subscribe call waits for fresh samples of the aspects.
    case subscribing(AspectSet)
    /// A subscription to the aspects runs until the connection closes.
    case streaming(SubscriptionID, AspectSet)
    /// A call has further replies.
    case lasting(any LastingMethod.Type)
    case closed

    var takesCalls: Bool {
        switch self {
        case .new, .serving: true
        case .dismissed, .subscribing, .streaming, .lasting, .closed: false
        }
    }

    /// Whether the connection takes no calls because a call has more than one reply.
    var isStream: Bool {
        switch self {
        case .subscribing, .streaming, .lasting: true
        case .new, .dismissed, .serving, .closed: false
        }
    }

    var awaitsFirstCall: Bool {
        if case .new = self { true } else { false }
    }

    var isDismissed: Bool {
        if case .dismissed = self { true } else { false }
    }

    var subscription: SubscriptionID? {
        if case .streaming(let id, _) = self { id } else { nil }
    }

    /// The aspects that are watched for the connection, from the Subscribe call on.
    var aspects: AspectSet {
        switch self {
        case .subscribing(let aspects), .streaming(_, let aspects): aspects
        case .new, .dismissed, .serving, .lasting, .closed: []
        }
    }

    var isClosed: Bool {
        if case .closed = self { true } else { false }
    }

    mutating func call() {
        switch self {
        case .new, .serving: self = .serving
        case .dismissed, .subscribing, .streaming, .lasting, .closed:
            preconditionFailure("a call that may not be taken")
        }
    }

    /// The call is answered with the limit that the connection exceeds.
    mutating func dismiss() {
        guard case .serving = self else { preconditionFailure("a refusal without its call") }
        self = .dismissed
    }

    /// The call is a Subscribe, and waits for fresh samples.
    mutating func subscribe(to aspects: AspectSet) {
        guard case .serving = self else { preconditionFailure("a subscription without its call") }
        self = .subscribing(aspects)
    }

    /// The samples have been taken, and the subscription is on the bus.
    mutating func stream(_ id: SubscriptionID) {
        guard case .subscribing(let aspects) = self else { preconditionFailure("a stream without its call") }
        self = .streaming(id, aspects)
    }

    var lastingCall: (any LastingMethod.Type)? {
        if case .lasting(let method) = self { method } else { nil }
    }

    mutating func beginLasting(_ method: any LastingMethod.Type) {
        guard case .serving = self else { preconditionFailure("further replies without their call") }
        self = .lasting(method)
    }

    /// Makes the next reply of a call the last one, after which the connection takes calls again.
    mutating func endLasting() {
        guard case .lasting = self else { preconditionFailure("the end of a call that does not last") }
        self = .serving
    }
}
