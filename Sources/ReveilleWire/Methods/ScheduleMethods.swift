// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Adds an entry of the schedule, or replaces one.
package struct AddEntry: BusMethod {
    package typealias Answer = AddReply
    package static var name: String { "org.reveille.Schedule.Add" }
    package let entry: ScheduleEntry

    package init(_ entry: ScheduleEntry) { self.entry = entry }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) {
        entry = try fields.entry()
        guard !entry.published.isTooDeep else { throw .invalidParameter("entry.value", PublishedValue.rule) }
    }

    package var parameters: JSONObject { ["entry": entry.structure] }
}

package struct AddReply: BusReply {
    /// The time of the next firing in microseconds since 1970; `nil` if there will be none.
    package var next: Int64?

    package init(next: Int64?) {
        self.next = next
    }

    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        next = try fields.time("next")
    }

    package var parameters: JSONObject { ["next": next.map { .integer($0) } ?? .null] }
}

/// Removes an entry of the schedule, or all entries of the caller.
package struct CancelEntry: BusMethod {
    package typealias Answer = CancelReply
    package static var name: String { "org.reveille.Schedule.Cancel" }
    /// `nil` for all entries.
    package let id: String?

    package init(_ id: String?) { self.id = id }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) { id = try fields.optionalString("id") }

    package var parameters: JSONObject { id.map { ["id": .string($0)] } ?? [:] }
}

package struct CancelReply: BusReply {
    package var cancelled: Int

    package init(cancelled: Int) {
        self.cancelled = cancelled
    }

    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        cancelled = try fields.count("cancelled")
    }

    package var parameters: JSONObject { ["cancelled": .integer(Int64(cancelled))] }
}

/// Asks for the caller's entries of the schedule.
package struct ListEntries: BareMethod {
    package typealias Answer = [ScheduleListing]
    package static var name: String { "org.reveille.Schedule.List" }

    package init() {}
}

/// An entry of the schedule, as its owner sees it.
package struct ScheduleListing: Sendable, Hashable {
    package var entry: ScheduleEntry
    /// The time of the next firing in microseconds since 1970; `nil` if there will be none.
    package var next: Int64?
    package var fired: Int

    package init(entry: ScheduleEntry, next: Int64?, fired: Int) {
        self.entry = entry
        self.next = next
        self.fired = fired
    }
}

/// The interface's structure `Scheduled`.
extension ScheduleListing: ReplyElement {
    package static var list: FieldName { "entries" }

    package init?(_ fields: inout Fields) throws(CallError) {
        self.init(entry: try fields.entry(), next: try fields.time("next"), fired: try fields.count("fired"))
    }

    package var structure: JSON {
        [
            "entry": entry.structure, "next": next.map { .integer($0) } ?? .null, "fired": .integer(Int64(fired)),
        ]
    }
}

/// The interface's structure `Entry`.
extension ScheduleEntry {
    package init(structure: JSONObject) throws(CallError) {
        var fields = Fields(structure)
        try self.init(&fields)
    }

    init(_ fields: inout Fields) throws(CallError) {
        let id = try fields.string("id")
        let aspect = try fields.publishedName()
        let value = try fields.optional(.value, PublishedValue.rule) { PublishedValue(aspect, restoring: $0) }
        let at = try fields.time("at")
        let every = try fields.time("every")
        let calendar = try fields.optionalStructure("calendar") { parts throws(CallError) in
            try CalendarRule(&parts)
        }
        let zone = try fields.optionalString("zone")
        let until = try fields.time("until")
        let missed: MissedSlots? = try fields.optionalWord("ifMissed", else: .unknown)
        let grace = try fields.time("grace")
        let wake = try fields.optionalBool("wake")
        let launch = try fields.optionalStrings("launch")
        do throws(ScheduleEntryError) {
            self = try ScheduleEntry(
                id: id, aspect: aspect, value: value?.bytes, at: at, every: every, calendar: calendar, zone: zone,
                until: until, ifMissed: missed, grace: grace, wake: wake, launch: launch)
        } catch {
            throw .invalidParameter(fields.path(of: error.path), error.reason)
        }
    }

    /// The entry as the structure of the interface, without the fields that the owner did not give.
    package var structure: JSON {
        var object: JSONObject = ["id": .string(id), "aspect": .string(aspect.name)]
        if value != nil { object["value"] = PublishedValue(aspect, bytes: value).structure }
        object["at"] = at.map { .integer($0) }
        object["every"] = every.map { .integer($0) }
        object["calendar"] = calendar.map(\.structure)
        object["zone"] = zone.map { .string($0) }
        object["until"] = until.map { .integer($0) }
        object["ifMissed"] = ifMissed.map { .string($0.rawValue) }
        object["grace"] = grace.map { .integer($0) }
        object["wake"] = wake.map { .bool($0) }
        object["launch"] = launch.map { JSON(strings: $0) }
        return .object(object)
    }
}

/// The interface's structure `Calendar`.
extension CalendarRule {
    fileprivate init(_ fields: inout Fields) throws(CallError) {
        let parts: [FieldName] = ["month", "day", "hour", "minute", "second"]
        var values: [Int?] = []
        for part in parts { values.append(try fields.optional(part) { $0.integerValue.map { Int($0) } }) }
        let weekday = try fields.optional("weekday", Weekday.rule, Weekday.init)
        let weekdays = try fields.optional("weekdays", Weekday.rule) { list -> Set<Weekday>? in
            guard let numbers = list.arrayValue else { return nil }
            let days = numbers.compactMap(Weekday.init)
            return days.count == numbers.count ? Set(days) : nil
        }
        if weekday != nil, weekdays != nil { throw fields.invalid("weekdays", "cannot be combined with weekday") }
        self.init(
            month: values[0], day: values[1], weekdays: weekday.map { [$0] } ?? weekdays, hour: values[2],
            minute: values[3], second: values[4])
    }

    fileprivate var structure: JSON {
        var object: JSONObject = [:]
        let parts = [
            ("month", month), ("day", day), ("hour", hour), ("minute", minute), ("second", second),
        ]
        for (name, value) in parts { object[name] = value.map { .integer(Int64($0)) } }
        let days = weekdays?.map(\.rawValue).sorted().map { JSON.integer(Int64($0)) }
        // One day is in the field that was there first.
        if let days { object[days.count == 1 ? "weekday" : "weekdays"] = days.count == 1 ? days[0] : .array(days) }
        return .object(object)
    }
}

extension Weekday {
    fileprivate static let rule = "must be 1 for Monday to 7 for Sunday"

    fileprivate init?(_ json: JSON) {
        guard let number = json.integerValue else { return nil }
        self.init(rawValue: Int(number))
    }
}

extension Fields {
    fileprivate mutating func entry() throws(CallError) -> ScheduleEntry {
        let entry = try optionalStructure("entry") { fields throws(CallError) in try ScheduleEntry(&fields) }
        guard let entry else { throw invalid("entry") }
        return entry
    }

    /// Reads a number of microseconds or milliseconds, or null.
    fileprivate mutating func time(_ name: FieldName) throws(CallError) -> Int64? {
        try optional(name) { $0.integerValue }
    }
}
