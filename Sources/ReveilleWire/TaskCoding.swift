// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// A reply to ``BusCall/beginTask(subscription:name:)``.
extension TaskState: BusReply {
    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        let fields = Fields(parameters)
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
extension Subscriber.Task: ReplyElement {
    package static var list: FieldName { "tasks" }

    package init(_ fields: Fields) throws(CallError) {
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
