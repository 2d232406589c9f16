// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Asks for the log of the bus.
package struct GetLog: BareMethod {
    package typealias Answer = [LogLine]
    package static var name: String { "org.reveille.Bus.GetLog" }

    package init() {}
}

/// The interface's structure `LogLine`.
package enum LogLine: Sendable, Hashable {
    /// A change, or the first reading of an aspect, whose `Event.changeCount` is 0.
    case change(Event)
    /// The start or the end of watching an aspect; without an aspect, of the bus itself.
    case watching(Aspect?, Bool, since: Timestamp)

    package var aspect: Aspect? {
        switch self {
        case .change(let event): event.aspect
        case .watching(let aspect, _, _): aspect
        }
    }

    package var time: Timestamp {
        switch self {
        case .change(let event): event.changedAt
        case .watching(_, _, let time): time
        }
    }
}

extension LogLine: ReplyElement {
    package static var list: FieldName { "lines" }

    package init?(_ fields: inout Fields) throws(CallError) {
        if let event = try fields.optionalStructure("event", { event throws(CallError) in try Event(&event) }) {
            guard let event else { return nil }
            self = .change(event)
        } else {
            let name = try fields.optionalString("aspect")
            let aspect = name.flatMap { Aspect($0) }
            guard name == nil || aspect?.builtIn != nil else { return nil }
            self = .watching(
                aspect, try fields.bool("watched"), since: Timestamp(microseconds: Int64(try fields.integer("since"))))
        }
    }

    /// The structure as a line, in a third of the instructions.
    package var text: [UInt8] {
        guard case .change(let event) = self else { return structure.bytes }
        return Array(#"{"event":"#.utf8) + event.text + [UInt8(ascii: "}")]
    }

    package var structure: JSON {
        switch self {
        case .change(let event): return ["event": event.structure]
        case .watching(let aspect, let isWatched, let time):
            let name = aspect.map { JSON.string($0.name) } ?? .null
            return ["aspect": name, "watched": .bool(isWatched), "since": .integer(time.microseconds)]
        }
    }
}
