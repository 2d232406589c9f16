// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension ScheduleRecord {
    /// Returns the value that an entry of a user publishes; `nil` if there is no such entry.
    package typealias Values = (_ id: String, _ user: UInt32) -> PublishedValue?

    /// Decodes a line without its end; the result is `nil` if the line is incomplete or damaged.
    ///
    /// - Throws: `StateError` if the line is whole, but not a record.
    package init?(line: ArraySlice<UInt8>, values: Values) throws(StateError) {
        guard let text = DigestedText.decode(line) else { return nil }
        guard let object = (try? JSON.parse(text))?.objectValue, let record = try Self.decode(object, values) else {
            throw StateError(reason: "a line is not a record of version \(ScheduleFile.version)")
        }
        self = record
    }

    private static func decode(_ object: JSONObject, _ values: Values) throws(StateError) -> ScheduleRecord? {
        if let instance = object["began"]?.stringValue, let firings = StateCoding.counter(object["firings"]) {
            return .began(instance: instance, firings: firings)
        }
        if let entry = object["entry"]?.objectValue { return try decodeItem(entry, object).map { .added($0) } }
        if let ids = object["removed"].flatMap(strings), let user = user(object) { return .removed(ids, user: user) }
        if let list = object["passed"]?.arrayValue {
            let passed = list.compactMap { $0.objectValue.flatMap { decodePassed($0, values) } }
            return passed.count == list.count ? .passed(passed) : nil
        }
        if let command = object["launching"].flatMap(strings), let starts = StateCoding.counter(object["starts"]),
            let instance = object["instance"]?.stringValue, let value = value(object), let user = user(object),
            let times = StateCoding.counter(object["times"]), let before = StateCoding.counter(object["before"]),
            times > 0,
            // Records of earlier releases lack it.
            let through = StateCoding.counter(object["through"] ?? .integer(Int64(before + times))), before < through
        {
            let waiting = LaunchQueue.Waiting(value: value, user: user, times: times, before: before, through: through)
            return .launching(
                Launching(command: command, starts: starts, instance: instance, waiting: waiting))
        }
        if let command = object["started"].flatMap(strings), let starts = StateCoding.counter(object["starts"]) {
            return .started(command, starts: starts)
        }
        if let command = object["settled"].flatMap(strings), let name = name(object) { return .settled(command, name) }
        if let command = object["running"].flatMap(strings), let start = StateCoding.counter(object["start"]),
            let pid = object["process"]?.integerValue.flatMap({ Int32(exactly: $0) }), pid > 0,
            let boot = object["boot"]?.stringValue
        {
            return .running(command, ProcessIdentity(pid: pid, start: UInt64(start), boot: boot))
        }
        if let command = object["ended"].flatMap(strings) { return .ended(command) }
        return nil
    }

    private static func decodeItem(
        _ entry: JSONObject, _ object: JSONObject
    ) throws(StateError) -> Schedule.Item? {
        guard let user = user(object), let added = object["added"]?.integerValue,
            let after = object["after"]?.integerValue, let fired = StateCoding.counter(object["fired"])
        else { return nil }
        do throws(CallError) {
            var item = Schedule.Item(
                user: user, entry: try ScheduleEntry(structure: entry), added: bounded(added), after: bounded(after),
                fired: fired)
            if let former = object["former"]?.objectValue, let added = former["added"]?.integerValue,
                let after = former["after"]?.integerValue
            {
                item.former = Schedule.Former(added: bounded(added), after: bounded(after))
            }
            return item
        } catch {
            throw StateError(reason: "an entry is invalid: \(error)")
        }
    }

    private static func decodePassed(_ object: JSONObject, _ values: Values) -> Passed? {
        guard let user = user(object), let id = object["id"]?.stringValue, let after = object["after"]?.integerValue,
            let fired = StateCoding.counter(object["fired"])
        else { return nil }
        var firing: Firing?
        if let fields = object["firing"]?.objectValue {
            guard let instance = fields["instance"]?.stringValue, let number = StateCoding.counter(fields["number"]),
                // Records of earlier releases contain it.
                let value = fields["value"] == nil ? values(id, user) : value(fields),
                let times = StateCoding.counter(fields["times"]), (1...Firing.most).contains(times),
                let before = StateCoding.counter(fields["before"]),
                let sequence = StateCoding.counter(fields["sequence"]),
                let time = fields["time"]?.integerValue
            else { return nil }
            firing = Firing(
                instance: instance, number: number, value: value, user: user, times: times, before: before,
                sequence: sequence, time: Timestamp(microseconds: time))
        }
        return Passed(
            user: user, id: id, after: bounded(after), fired: fired, isLast: object["last"]?.boolValue ?? false,
            firing: firing, isLaunching: object["launching"]?.boolValue ?? false)
    }

    private static func strings(_ json: JSON) -> [String]? {
        json.arrayValue.flatMap { list in
            let strings = list.compactMap(\.stringValue)
            return strings.count == list.count ? strings : nil
        }
    }

    private static func name(_ object: JSONObject) -> Aspect? {
        object["aspect"]?.stringValue.flatMap { Aspect($0) }.flatMap { $0.isPublished ? $0 : nil }
    }

    private static func value(_ object: JSONObject) -> PublishedValue? {
        guard let name = name(object), let value = PublishedValue(name, restoring: object["value"] ?? .null),
            value.bytes?.count ?? .max <= Limits.frame
        else { return nil }
        return value
    }

    private static func user(_ object: JSONObject) -> UInt32? {
        object["user"]?.integerValue.flatMap { UInt32(exactly: $0) }
    }

    /// Returns the nearest time within the schedule's range.
    private static func bounded(_ time: Int64) -> Int64 { min(max(-1, time), ScheduleEntry.lastTime) }
}
