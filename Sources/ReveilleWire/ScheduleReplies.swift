// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The reply to ``BusCall/addEntry(_:)``.
package struct AddReply: BusReply {
    /// The time of the next firing in microseconds since 1970; `nil` if there will be none.
    package var next: Int64?

    package init(next: Int64?) {
        self.next = next
    }

    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        next = try Fields(parameters).optional("next") { $0.integerValue }
    }

    package var parameters: JSONObject { ["next": next.map { .integer($0) } ?? .null] }
}

/// The reply to ``BusCall/cancelEntry(_:)``.
package struct CancelReply: BusReply {
    package var cancelled: Int

    package init(cancelled: Int) {
        self.cancelled = cancelled
    }

    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        cancelled = try Fields(parameters).count("cancelled")
    }

    package var parameters: JSONObject { ["cancelled": .integer(Int64(cancelled))] }
}
