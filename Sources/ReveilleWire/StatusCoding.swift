// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// The interface's structure `AspectInfo`.
extension AspectInfo: ReplyElement {
    package static var list: FieldName { "aspects" }

    package init?(_ fields: inout Fields) throws(CallError) {
        guard let aspect = try fields.requiredName(.aspect) else { return nil }
        let source = try fields.optionalString("source")
        let reason = try fields.optionalString("reason")
        self.init(
            aspect: aspect, isAvailable: source != nil, isWatched: try fields.bool("monitored"),
            source: source ?? reason ?? "")
    }

    package var structure: JSON {
        .object([
            "aspect": .string(aspect.name),
            "available": .bool(isAvailable),
            "monitored": .bool(isWatched),
            "source": isAvailable ? .string(source) : .null,
            "reason": isAvailable ? .null : .string(source),
        ])
    }
}

/// The interface's structure `Subscription`.
extension SubscriptionInfo: ReplyElement {
    package static var list: FieldName { "subscriptions" }

    /// Decodes a subscription; unknown aspects and holds are ignored.
    package init(_ fields: inout Fields) throws(CallError) {
        var pending: [Aspect: Int] = [:]
        _ = try fields.structures("pending") { entry throws(CallError) in
            guard let aspect = try entry.requiredName(.aspect) else { return }
            pending[aspect] = try entry.count("changes")
        }
        let tasks = try fields.optionalStructures("tasks") { task throws(CallError) in try Task(&task) } ?? []
        self.init(
            id: try fields.string("subscription"), name: try fields.optionalString("name"),
            processID: Int32(truncatingIfNeeded: try fields.integer("pid")),
            userID: UInt32(truncatingIfNeeded: try fields.integer("uid")),
            aspects: AspectSet(try fields.strings("aspects").compactMap { Aspect($0) }),
            holds: HoldReasons(names: try fields.strings("held")),
            lifecycle: try fields.optionalWord("lifecycle"), pending: pending,
            eventCount: try fields.count("events"), changeCount: try fields.count("changes"), tasks: tasks)
    }

    package var structure: JSON {
        let pending = pending.sorted { $0.key < $1.key }.map { aspect, changes in
            JSON.object(["aspect": .string(aspect.name), "changes": .integer(Int64(changes))])
        }
        var structure: JSONObject = [
            "subscription": .string(id),
            "name": name.map { .string($0) } ?? .null,
            "pid": .integer(Int64(processID)),
            "uid": .integer(Int64(userID)),
            "aspects": .array(aspects.aspects.map { .string($0.name) }),
            "held": .array(holds.names.map { .string($0) }),
            "pending": .array(pending),
            "events": .integer(Int64(eventCount)),
            "changes": .integer(Int64(changeCount)),
        ]
        // Clients of an earlier interface may refuse other fields.
        if let lifecycle { structure["lifecycle"] = .string(lifecycle.rawValue) }
        if !tasks.isEmpty { structure["tasks"] = .array(tasks.map(\.structure)) }
        return .object(structure)
    }
}

/// A reply to ``BusCall/followSubscriptions``.
extension SubscriptionChanges: BusReply {
    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        self.init(
            subscriptions: try [SubscriptionInfo](parameters, noting: unknownWords),
            ended: try fields.optionalStrings("ended") ?? [])
    }

    package var parameters: JSONObject {
        var parameters = subscriptions.parameters
        if !ended.isEmpty { parameters["ended"] = .array(ended.map { .string($0) }) }
        return parameters
    }
}

/// A reply to ``BusCall/beginTask(subscription:name:)``.
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

/// An element of a reply to ``BusCall/observeDemand(_:)``.
package struct NameDemand: ReplyElement {
    package static var list: FieldName { "demands" }
    /// A name or a pattern.
    package let aspect: Aspect
    package let isNeeded: Bool

    package init(aspect: Aspect, isNeeded: Bool) {
        self.aspect = aspect
        self.isNeeded = isNeeded
    }

    package init?(_ fields: inout Fields) throws(CallError) {
        self.init(aspect: try fields.aspect { _ in true }, isNeeded: try fields.bool("needed"))
    }

    package var structure: JSON { ["aspect": .string(aspect.name), "needed": .bool(isNeeded)] }
}
