// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Begins a task of a subscription's process for as long as the call lasts.
package struct BeginTask: BusMethod {
    package typealias Answer = TaskState
    package static var name: String { "org.reveille.Bus.BeginTask" }
    package static var isStream: Bool { true }
    package let subscription: String
    package let task: String

    package init(_ task: String, of subscription: String) {
        (self.task, self.subscription) = (task, subscription)
    }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) {
        task = try fields.string("name")
        guard (1...BusInterface.nameLimit).contains(task.utf8.count) else {
            throw fields.invalid("name", "must have 1 to \(BusInterface.nameLimit) bytes")
        }
        subscription = try fields.string("subscription")
    }

    package var parameters: JSONObject { ["subscription": .string(subscription), "name": .string(task)] }
}

extension TaskState: BusReply {
    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        self.init(
            remaining: try fields.optionalCount("remaining").map { .milliseconds($0) },
            isExpiring: try fields.optionalBool("expiring") ?? false,
            hasEnded: try fields.optionalBool("ended") ?? false)
    }

    package var parameters: JSONObject {
        var parameters: JSONObject = ["remaining": JSON(remaining: remaining)]
        if isExpiring { parameters["expiring"] = true }
        if hasEnded { parameters["ended"] = true }
        return parameters
    }
}

/// The interface's structure `Task`.
extension SubscriptionInfo.Task: ReplyElement {
    package static var list: FieldName { "tasks" }

    package init(_ fields: inout Fields) throws(CallError) {
        self.init(
            name: try fields.string("name"), remaining: try fields.optionalCount("remaining").map { .milliseconds($0) })
    }

    package var structure: JSON { ["name": .string(name), "remaining": JSON(remaining: remaining)] }
}

extension JSON {
    /// The time that is left in milliseconds, rounded down: never more than there is.
    fileprivate init(remaining: Duration?) {
        self = remaining.map { .integer(Int64($0 / .milliseconds(1))) } ?? .null
    }
}
