// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// The interface `org.reveille.Schedule`; its text is the file `Interfaces/org.reveille.Schedule.varlink`, which the program
/// embeds.
package enum ScheduleInterface {
    /// The interface's name.
    package static let name = "org.reveille.Schedule"

    /// Returns the interface, parsed from its text.
    package static func make() -> Interface { Interface(embedded: PackageResources.org_reveille_Schedule_varlink) }

    static func qualified(_ member: String) -> String {
        name + "." + member
    }
}

extension CallError {
    /// A user has no entry with an identifier.
    package static func noSuchEntry(_ id: String) -> CallError {
        CallError(name: ScheduleInterface.qualified("NoSuchEntry"), parameters: ["id": .string(id)])
    }
}

/// A call of the interface `org.reveille.Schedule`: a client encodes it, a service decodes it.
package enum ScheduleCall: Sendable, Hashable {
    /// Adds an entry, or replaces one; the reply is a ``AddReply``.
    case add(ScheduleEntry)
    /// Removes an entry, or all; the reply is a ``CancelReply``.
    case cancel(String?)
    /// Asks for the caller's entries; the reply is a list of ``ScheduleListing``.
    case list

    private static let names = NameTable(["Add", "Cancel", "List"].map(ScheduleInterface.qualified))

    /// Decodes a call; `nil` for a call of another interface.
    ///
    /// - Parameter call: A call whose method and parameter types ``Interface/validate(_:)`` has passed.
    /// - Throws: `InvalidParameter` with the field whose value is not allowed.
    package init?(_ call: borrowing Call) throws(CallError) {
        guard let method = call.position(in: Self.names) else { return nil }
        let fields = Fields(call.parameters)
        switch method {
        case 0:
            guard let entry = try fields.optionalStructure(.entry) else { throw fields.invalid(.entry) }
            self = .add(try ScheduleEntry(entry))
        case 1: self = .cancel(try fields.optionalString(.id))
        default: self = .list
        }
    }
}

extension Call {
    /// Encodes a call of the schedule.
    package init(_ call: ScheduleCall) {
        switch call {
        case .add(let entry):
            self.init(method: ScheduleInterface.qualified("Add"), parameters: ["entry": entry.structure])
        case .cancel(let id):
            var parameters: JSONObject = [:]
            parameters["id"] = id.map { .string($0) }
            self.init(method: ScheduleInterface.qualified("Cancel"), parameters: parameters)
        case .list: self.init(method: ScheduleInterface.qualified("List"))
        }
    }
}

/// The reply to ``ScheduleCall/add(_:)``.
package struct AddReply: BusReply {
    /// The time of the next firing in microseconds since 1970; `nil` if there will be none.
    package var next: Int64?

    /// Creates a reply.
    package init(next: Int64?) {
        self.next = next
    }

    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        next = try Fields(parameters).optional(.next) { $0.integerValue }
    }

    package var parameters: JSONObject { ["next": next.map { .integer($0) } ?? .null] }
}

/// The reply to ``ScheduleCall/cancel(_:)``.
package struct CancelReply: BusReply {
    /// The number of entries that were removed.
    package var cancelled: Int

    /// Creates a reply.
    package init(cancelled: Int) {
        self.cancelled = cancelled
    }

    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        cancelled = try Fields(parameters).count(.cancelled)
    }

    package var parameters: JSONObject { ["cancelled": .integer(Int64(cancelled))] }
}
