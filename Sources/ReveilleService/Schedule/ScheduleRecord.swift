// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem
import ReveilleWire
import Varlink

/// A line of the schedule's file: a change of the schedule.
package enum ScheduleRecord: Sendable, Hashable {
    /// An entry that took effect at its due time.
    package struct Passed: Sendable, Hashable {
        package var user: UInt32
        package var id: String
        /// The time of the last slot that is over.
        package var after: Int64
        package var fired: Int
        package var isLast: Bool
        /// The firing, unless all slots were left out; its value is not written again, since the file has the entry.
        package var firing: Firing?
        /// Whether the entry has a command, which is started unless a subscriber receives the firing.
        package var isLaunching: Bool
    }

    /// A name that a program is started for.
    package struct Launching: Sendable, Hashable {
        package var command: [String]
        package var starts: Int
        /// The instance of the bus that the generation belongs to.
        package var instance: String
        package var waiting: LaunchQueue.Waiting
    }

    /// The file omits the firings of an instance up to a number: only a saved state that contains them is accurate.
    case began(instance: String, firings: Int)
    case added(Schedule.Item)
    case removed([String], user: UInt32)
    case passed([Passed])
    /// A program has to be started for the firings of a name; subscribers may have received some of them.
    case launching(Launching)
    case started([String], starts: Int)
    /// All firings of a name for which a program would be started have been sent to a subscriber.
    case settled([String], Aspect)
    /// A program that was started is a child of the bus.
    case running([String], ProcessIdentity)
    case ended([String])

    /// Whether it waits while the disk is full; the others free room, or follow what has happened already.
    var needsRoom: Bool {
        switch self {
        case .added, .passed: true
        default: false
        }
    }

    /// The record as JSON, on a line that begins with its digest.
    package var line: [UInt8] {
        DigestedText.encode(JSON.object(object).bytes) + [UInt8(ascii: "\n")]
    }

    private var object: JSONObject {
        switch self {
        case .began(let instance, let firings):
            return ["began": .string(instance), "firings": .integer(Int64(firings))]
        case .added(let item):
            var object: JSONObject = [
                "entry": item.entry.structure, "user": .integer(Int64(item.user)), "added": .integer(item.added),
                "after": .integer(item.after), "fired": .integer(Int64(item.fired)),
            ]
            if let former = item.former {
                object["former"] = ["added": .integer(former.added), "after": .integer(former.after)]
            }
            return object
        case .removed(let ids, let user):
            return ["removed": .array(ids.map { .string($0) }), "user": .integer(Int64(user))]
        case .passed(let passed): return ["passed": .array(passed.map(Self.encode))]
        case .launching(let launch):
            return [
                "launching": Self.encode(launch.command), "starts": .integer(Int64(launch.starts)),
                "instance": .string(launch.instance), "aspect": .string(launch.waiting.value.name.name),
                "value": launch.waiting.value.structure, "user": .integer(Int64(launch.waiting.user)),
                "times": .integer(Int64(launch.waiting.times)), "before": .integer(Int64(launch.waiting.before)),
                "through": .integer(Int64(launch.waiting.through)),
            ]
        case .started(let command, let starts):
            return ["started": Self.encode(command), "starts": .integer(Int64(starts))]
        case .settled(let command, let aspect):
            return ["settled": Self.encode(command), "aspect": .string(aspect.name)]
        case .running(let command, let process):
            return [
                "running": Self.encode(command), "process": .integer(Int64(process.pid)),
                "start": .integer(Int64(process.start)), "boot": .string(process.boot),
            ]
        case .ended(let command): return ["ended": Self.encode(command)]
        }
    }

    private static func encode(_ command: [String]) -> JSON { .array(command.map { .string($0) }) }

    private static func encode(_ passed: Passed) -> JSON {
        var object: JSONObject = [
            "user": .integer(Int64(passed.user)), "id": .string(passed.id), "after": .integer(passed.after),
            "fired": .integer(Int64(passed.fired)),
        ]
        if passed.isLast { object["last"] = true }
        if passed.isLaunching { object["launching"] = true }
        if let firing = passed.firing {
            object["firing"] = [
                "instance": .string(firing.instance), "number": .integer(Int64(firing.number)),
                "times": .integer(Int64(firing.times)), "before": .integer(Int64(firing.before)),
                "sequence": .integer(Int64(firing.sequence)), "time": .integer(firing.time.microseconds),
            ]
        }
        return .object(object)
    }
}
