// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
package import ReveilleWire
import Varlink

extension Device {
    /// Schedules a value that the bus publishes at set times, even when this program does not run.
    ///
    /// ```swift
    /// let morning = CalendarRule(hour: 7, minute: 30)
    /// try await device.schedule("alarm", .calendar(morning), publishing: "org.example.alarm", ["sound": "bell"])
    /// try await device.schedule(
    ///     "tea", .at(Timestamp(microseconds: now + 300_000_000)), publishing: "org.example.tea",
    ///     launching: ["/usr/bin/tea-timer"])
    /// ```
    ///
    /// Each firing is a change of the name, even if the value is the same. A subscriber in the background receives one
    /// event, whose `Event.changes` is the number of firings. Entries belong to this user, outlast the program, the bus
    /// and a reboot, and end with their last firing. Another entry with the same identifier replaces the first one.
    ///
    /// - Parameters:
    ///   - id: The identifier of the entry, of 1 to 128 bytes.
    ///   - time: The times at which the entry fires.
    ///   - name: The name under which the value is published.
    ///   - value: A value, as for ``publish(_:_:whileConnected:)``; by default an object without members.
    ///   - until: The time after which the entry does not fire.
    ///   - ifMissed: What happens to firings whose time passes while the device is off or asleep.
    ///   - grace: The delay beyond which such a firing is skipped.
    ///   - command: The absolute path of a program and its arguments, which the bus starts if the name has no
    ///     subscriber; see ``launch``. A name without a slash is looked up in the `PATH` of the bus. Only the bus's own
    ///     user may give one.
    /// - Returns: The time of the first firing; `nil` if there will be none, as on a 30th of February.
    /// - Throws: ``ReveilleError``, with the identifier: ``ReveilleError/Code/invalidArgument`` for an invalid time or
    ///   an unknown zone; ``ReveilleError/Code/quotaExceeded`` if the user has too many entries, or the entry cannot be
    ///   saved; ``ReveilleError/Code/notPermitted`` if this user may not publish the name or start a program.
    @discardableResult
    public func schedule(
        _ id: String, _ time: ScheduleTime, publishing name: Aspect, _ value: some Encodable = [String: String](),
        until: Timestamp? = nil, ifMissed: MissedFirings = .fire, grace: Duration? = nil,
        launching command: [String]? = nil
    ) async throws(ReveilleError) -> Timestamp? {
        let value = try PublishedValue(name, encoding: value)
        var (at, every, calendar, zone): (Timestamp?, Int64?, CalendarRule?, String?)
        switch time {
        case .at(let time): at = time
        case .every(let interval, let start): (at, every) = (start, interval.wholeMilliseconds)
        case .calendar(let rule, let name, let start): (at, calendar, zone) = (start, rule, name)
        }
        let entry: ScheduleEntry
        do throws(ScheduleEntryError) {
            entry = try ScheduleEntry(
                id: id, aspect: name, value: value.bytes, at: at?.microseconds, every: every, calendar: calendar,
                zone: zone, until: until?.microseconds, skipsMissed: ifMissed == .skip ? true : nil,
                grace: grace?.wholeMilliseconds, launch: command)
        } catch {
            throw ReveilleError(.invalidArgument, "\(id): \(error)")
        }
        return try await add(entry)
    }

    /// Removes an entry of this user from the schedule; what has fired is still delivered.
    ///
    /// ```swift
    /// try await device.cancelScheduled("alarm")
    /// ```
    ///
    /// - Returns: Whether there was such an entry.
    /// - Throws: ``ReveilleError``, as other calls do.
    @discardableResult
    public func cancelScheduled(_ id: String) async throws(ReveilleError) -> Bool {
        do throws(ReveilleError) {
            return try await engine.call(Call(.cancelEntry(id)), expecting: CancelReply.self).cancelled > 0
        } catch  where error.code == .noSuchEntry {
            return false
        }
    }

    /// Removes all entries of this user from the schedule; what has fired is still delivered.
    ///
    /// ```swift
    /// try await device.cancelAllScheduled()
    /// ```
    ///
    /// - Returns: The number of entries.
    /// - Throws: ``ReveilleError``, as other calls do.
    @discardableResult
    public func cancelAllScheduled() async throws(ReveilleError) -> Int {
        try await engine.call(Call(.cancelEntry(nil)), expecting: CancelReply.self).cancelled
    }

    /// The entries of this user on the schedule, in the order of their identifiers.
    ///
    /// ```swift
    /// for entry in try await device.scheduled { print(entry.id, entry.next as Any, entry.fired) }
    /// ```
    public var scheduled: [ScheduledEntry] {
        get async throws(ReveilleError) {
            try await listings.map { listing in
                let entry = listing.entry
                return ScheduledEntry(
                    id: entry.id, name: entry.aspect, time: entry.time,
                    until: entry.until.map { Timestamp(microseconds: $0) },
                    ifMissed: entry.skipsMissed == true ? .skip : .fire,
                    grace: entry.grace.map { .milliseconds($0) }, command: entry.launch,
                    next: listing.next.map { Timestamp(microseconds: $0) }, fired: listing.fired)
            }
        }
    }

    package var listings: [ScheduleListing] {
        get async throws(ReveilleError) { try await engine.call(Call(.listEntries), expecting: [ScheduleListing].self) }
    }

    package func add(_ entry: ScheduleEntry) async throws(ReveilleError) -> Timestamp? {
        do throws(ReveilleError) {
            let reply = try await engine.call(Call(.addEntry(entry)), expecting: AddReply.self)
            return reply.next.map { Timestamp(microseconds: $0) }
        } catch {
            // An entry is checked before it is sent: only its zone can be unknown.
            let zone = error.code == .invalidArgument ? entry.zone.map { "time zone \($0): " } ?? "" : ""
            throw ReveilleError(error.code, "\(entry.id): \(zone)\(error)")
        }
    }
}
