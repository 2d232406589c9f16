// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleWire

/// An entry for the schedule, for ``Device/schedule(_:)``.
///
/// ```swift
/// try await device.schedule(
///     ScheduleRequest(
///         "alarm", publishing: PublishedName("org.example.alarm"), .weekly([.monday], hour: 7),
///         value: ["sound": "bell"], launch: ["/usr/bin/alarm"]))
/// ```
public struct ScheduleRequest: Sendable {
    /// The identifier, of 1 to 128 bytes, which is unique among the entries of this user.
    public var id: String
    /// The name under which the value is published.
    public let name: Aspect
    /// The value that is published.
    public let value: any Encodable & Sendable
    /// The times at which the entry fires.
    public var time: ScheduleTime
    /// The time after which the entry does not fire; `nil` for no end.
    public var until: Timestamp?
    /// The treatment of firings whose time passes while the device is off or asleep.
    public var ifMissed: MissedFirings
    /// The delay beyond which such a firing is skipped; `nil` for no limit.
    public var grace: Duration?
    /// Whether the device wakes from its sleep for the next firing, if it can; see `Capability.wake`.
    public var wake: Bool
    /// The absolute path of a program and its arguments, which the bus starts if the name has no subscriber; `nil` for
    /// none.
    ///
    /// A name without a slash is looked up in the `PATH` of the bus. Only the bus's own user may give one. See
    /// ``Device/launch``.
    public var launch: [String]?

    /// Creates an entry, which is checked when it is scheduled.
    ///
    /// The value is as for ``Device/publish(_:_:whileConnected:)``.
    public init<Value: Encodable & Sendable>(
        _ id: String, publishing name: PublishedName<Value>, _ time: ScheduleTime, value: Value,
        until: Timestamp? = nil, ifMissed: MissedFirings = .fire, grace: Duration? = nil, wake: Bool = false,
        launch: [String]? = nil
    ) {
        self.id = id
        self.name = name.aspect
        self.time = time
        self.value = value
        self.until = until
        self.ifMissed = ifMissed
        self.grace = grace
        self.wake = wake
        self.launch = launch
    }

    func entry() throws(ReveilleError) -> ScheduleEntry {
        let value = try PublishedValue(name, encoding: value)
        var (at, every, calendar, zone): (Timestamp?, Int64?, CalendarRule?, String?)
        switch time {
        case .at(let time): at = time
        case .every(let interval, let start): (at, every) = (start, interval.wholeMilliseconds)
        case .calendar(let rule, let name, let start): (at, calendar, zone) = (start, rule, name)
        }
        do throws(ScheduleEntryError) {
            return try ScheduleEntry(
                id: id, aspect: name, value: value.bytes, at: at?.microseconds, every: every, calendar: calendar,
                zone: zone, until: until?.microseconds, ifMissed: ifMissed == .skip ? .skip : nil,
                grace: grace?.wholeMilliseconds, wake: wake ? true : nil, launch: launch)
        } catch {
            throw ReveilleError(.invalidArgument, "\(id): \(error)")
        }
    }
}

/// An entry that is on the schedule.
public struct ScheduledEntry: Sendable, Hashable {
    /// The identifier, which is unique among the entries of this user.
    public let id: String
    /// The name under which the value is published.
    public let name: Aspect
    /// The value that is published.
    public let value: PublishedValue
    /// The times at which the entry fires.
    public let time: ScheduleTime
    /// The time after which the entry does not fire; `nil` for no end.
    public let until: Timestamp?
    /// The treatment of missed firings.
    public let ifMissed: MissedFirings
    /// The delay beyond which a missed firing is skipped; `nil` for no limit.
    public let grace: Duration?
    /// Whether the device wakes from its sleep for the next firing, if it can.
    public let wake: Bool
    /// The command that the bus starts if the name has no subscriber; `nil` for none.
    public let launch: [String]?
    /// The time of the next firing; `nil` if there will be none, as on a 30th of February.
    public let next: Timestamp?
    /// The number of firings so far.
    public let firingCount: Int

    init(_ listing: ScheduleListing) {
        let entry = listing.entry
        id = entry.id
        name = entry.aspect
        value = entry.published
        time = entry.time
        until = entry.until.map { Timestamp(microseconds: $0) }
        ifMissed = entry.ifMissed == .skip ? .skip : entry.ifMissed == .unknown ? .unknown : .fire
        grace = entry.grace.map { .milliseconds($0) }
        wake = entry.wake == true
        launch = entry.launch
        next = listing.next.map { Timestamp(microseconds: $0) }
        firingCount = listing.fired
    }
}

extension ScheduleEntry {
    package var time: ScheduleTime {
        let start = at.map { Timestamp(microseconds: $0) }
        if let every { return .every(.milliseconds(every), from: start) }
        if let calendar { return .calendar(calendar, zone: zone, from: start) }
        return .at(start ?? Timestamp(microseconds: 0))
    }
}
