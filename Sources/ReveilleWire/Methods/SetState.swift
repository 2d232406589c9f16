// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import Varlink

/// Brings a subscription to another state.
package struct SetState: BusMethod {
    package typealias Answer = EmptyReply
    package static var name: String { "org.reveille.Bus.SetState" }
    package let subscription: String
    package let state: RequestedState
    package let wakeAfter: Duration?

    package init(subscription: String, to state: RequestedState, wakeAfter: Duration? = nil) {
        (self.subscription, self.state, self.wakeAfter) = (subscription, state, wakeAfter)
    }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) {
        let state: RequestedState = try fields.word("state")
        wakeAfter = try fields.optional(
            "wakeAfter", state.isHeld ? "must be from 1 ms to a year" : "needs the state background or suspended"
        ) { value in
            value.integerValue.map { Duration.milliseconds($0) }.flatMap {
                state.isHeld && BusInterface.wakeAfterRange.contains($0) ? $0 : nil
            }
        }
        subscription = try fields.string("subscription")
        self.state = state
    }

    package var parameters: JSONObject {
        var parameters: JSONObject = ["subscription": .string(subscription), "state": .string(state.rawValue)]
        if let wakeAfter { parameters["wakeAfter"] = .integer(wakeAfter.wholeMilliseconds) }
        return parameters
    }
}

package enum RequestedState: String, Sendable, Hashable, CaseIterable {
    /// The caller's hold is cleared.
    case foreground
    /// The subscription is held.
    case background
    /// The caller's hold is cleared, and the lifecycle becomes `inactive`.
    case inactive
    /// The subscription is held, and then its program is frozen.
    case suspended

    /// Whether the caller's hold is set; the hold can end automatically.
    package var isHeld: Bool { self == .background || self == .suspended }
}

extension RequestedState: WordSet {}

extension Duration {
    /// The duration in milliseconds, rounded up, since a hold never ends early, and limited to 64 bits.
    package var wholeMilliseconds: Int64 {
        let milliseconds = (self / .milliseconds(1)).rounded(.up)
        return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }
}
