// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Asks for all subscriptions.
package struct ListSubscriptions: BareMethod {
    package typealias Answer = SubscriptionChanges
    package static var name: String { "org.reveille.Bus.ListSubscriptions" }
    package let mode: Call.Mode

    package init() { mode = .plain }

    private init(mode: Call.Mode) { self.mode = mode }

    /// Asks for changes too, in further replies.
    package static var following: Self { Self(mode: .more) }
}

extension SubscriptionChanges: BusReply {
    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        self.init(
            subscriptions: try [SubscriptionInfo](parameters, noting: unknownWords),
            ended: try fields.optionalStrings("ended") ?? [])
    }

    package var parameters: JSONObject {
        var parameters = subscriptions.parameters
        if !ended.isEmpty { parameters["ended"] = JSON(strings: ended) }
        return parameters
    }
}

/// The interface's structure `Subscription`.
extension SubscriptionInfo: ReplyElement {
    package static var list: FieldName { "subscriptions" }

    /// Decodes a subscription; unknown aspects are ignored.
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
            lifecycle: try fields.optionalWord("lifecycle", else: .unknown), pending: pending,
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
            "aspects": JSON(aspectSet),
            "held": JSON(strings: holds.names),
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
