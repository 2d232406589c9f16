// SPDX-License-Identifier: Apache-2.0

/// A value to publish at set times, as a client adds it.
package struct ScheduleEntry: Sendable, Hashable {
    /// The longest identifier in bytes: it is a name, not a payload.
    package static let idLimit = 128
    /// The longest name of a zone in bytes, as for a file's name.
    package static let zoneLimit = 255
    /// The shortest interval in milliseconds.
    package static let shortestInterval: Int64 = 1_000
    /// The longest interval and grace in milliseconds: a century, so that sums with every time fit in 64 bits.
    package static let longestInterval: Int64 = 3_155_760_000_000
    /// The last time in microseconds: the end of the year 9999.
    package static let lastTime: Int64 = 253_402_300_799_999_999
    package static let argumentLimit = 64
    /// The total length in bytes of a command's arguments, so that a journal of thousands of entries stays readable.
    package static let commandLimit = 4_096

    package let id: String
    package let aspect: Aspect
    /// The value in its canonical form; `nil` for an object without members.
    package var value: [UInt8]?
    /// The time before which nothing is due, in microseconds since 1970; alone, the only slot.
    package let at: Int64?
    /// The time from one slot to the next, in milliseconds.
    package let every: Int64?
    package let calendar: CalendarRule?
    /// The zone of the calendar; `nil` or `local` for the device's.
    package let zone: String?
    /// The time after which nothing is due.
    package let until: Int64?
    /// The treatment of slots that passed while the machine was off or asleep; `nil` if the owner left it open.
    package let ifMissed: MissedSlots?
    /// The lateness in milliseconds beyond which a missed slot is left out.
    package let grace: Int64?
    /// Whether the machine is to wake from its sleep for the next slot; `nil` if the owner left it open.
    package let wake: Bool?
    /// The command to start if there is no subscriber.
    package let launch: [String]?

    /// Creates an entry; throws the first field whose value is not allowed.
    package init(
        id: String, aspect: Aspect, value: [UInt8]? = nil, at: Int64? = nil, every: Int64? = nil,
        calendar: CalendarRule? = nil, zone: String? = nil, until: Int64? = nil, ifMissed: MissedSlots? = nil,
        grace: Int64? = nil, wake: Bool? = nil, launch: [String]? = nil
    ) throws(ScheduleEntryError) {
        func check(_ field: ScheduleEntryError.Field, _ isAllowed: Bool) throws(ScheduleEntryError) {
            if !isAllowed { throw ScheduleEntryError(field) }
        }
        try check(.id, (1...Self.idLimit).contains(id.utf8.count))
        try check(.aspect, aspect.isPublished)
        try check(.at, at.map { (0...Self.lastTime).contains($0) } ?? (every != nil || calendar != nil))
        try check(.every, every.map { (Self.shortestInterval...Self.longestInterval).contains($0) } ?? true)
        try check(.calendar, calendar == nil || every == nil)
        if let fault = calendar?.fault { throw ScheduleEntryError(.calendar, fault) }
        try check(.zone, zone.map { calendar != nil && (1...Self.zoneLimit).contains($0.utf8.count) } ?? true)
        try check(.until, until.map { (0...Self.lastTime).contains($0) } ?? true)
        try check(.grace, grace.map { (0...Self.longestInterval).contains($0) } ?? true)
        try check(.launch, launch.map(Self.isCommand) ?? true)
        self.id = id
        self.aspect = aspect
        self.value = value
        self.at = at
        self.every = every
        self.calendar = calendar
        self.zone = zone
        self.until = until
        self.ifMissed = ifMissed
        self.grace = grace
        self.wake = wake
        self.launch = launch
    }

    /// The value of a firing: by default an object without members, since a name without a value would be withdrawn.
    package var published: PublishedValue { PublishedValue(aspect, bytes: value ?? Array("{}".utf8)) }

    var isSingle: Bool { every == nil && calendar == nil }

    /// The name of the zone on which the slots depend, ``localZone`` for the device's; `nil` without a calendar.
    package var slotZone: String? { calendar == nil ? nil : zone ?? Self.localZone }

    package static let localZone = "local"

    private static func isCommand(_ arguments: [String]) -> Bool {
        (1...argumentLimit).contains(arguments.count) && arguments.first?.isEmpty == false
            && arguments.reduce(0) { $0 + $1.utf8.count } <= commandLimit
            && arguments.allSatisfy { !$0.utf8.contains(0) }
    }
}

/// The treatment of slots that passed while the machine was off or asleep, or its clock was set.
package enum MissedSlots: String, WordSet, Hashable {
    case fire, skip
    /// A word that a later version has added.
    case unknown

    package static let words: [MissedSlots] = [.fire, .skip]
}

/// A field of a ``ScheduleEntry`` whose value is not allowed.
package struct ScheduleEntryError: Error, Hashable {
    /// The fields that can have such a value, by their names on the wire.
    package enum Field: String, Sendable {
        case id, aspect, at, every, calendar, zone, until, grace, launch
    }

    package let field: Field
    private let fault: CalendarRule.Fault?

    init(_ field: Field, _ fault: CalendarRule.Fault? = nil) {
        (self.field, self.fault) = (field, fault)
    }

    /// The field, or the part of the calendar that is wrong: `calendar.hour`.
    package var path: String {
        fault?.part.map { "\(field.rawValue).\($0)" } ?? field.rawValue
    }
}

extension ScheduleEntryError: CustomStringConvertible {
    package var description: String { fault.map { "\($0)" } ?? "\(field.rawValue) \(reason)" }

    /// The rule for the field, in words that follow its path.
    package var reason: String {
        if let fault { return fault.reason }
        return switch field {
        case .id: "must have 1 to \(ScheduleEntry.idLimit) bytes"
        case .aspect: "must be a name that programs publish"
        case .at: "must be a time from 1970 to 9999, and is required without an interval or a calendar"
        case .every: "must be from one second to a century"
        case .calendar: "cannot be combined with an interval"
        case .zone: "must be the name of a time zone, and requires a calendar"
        case .until: "must be a time from 1970 to 9999"
        case .grace: "must be from zero to a century"
        case .launch:
            "must have 1 to \(ScheduleEntry.argumentLimit) arguments, of at most \(ScheduleEntry.commandLimit) bytes in total"
        }
    }
}
