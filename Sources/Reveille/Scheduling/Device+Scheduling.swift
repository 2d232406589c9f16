// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleWire
import Varlink

extension Device {
    /// Schedules a value that the bus publishes at set times, even when this program does not run.
    ///
    /// ```swift
    /// let tea = PublishedName<[String: Int]>("org.example.tea")
    /// let time = ScheduleTime.at(.now + .seconds(5 * 60))
    /// try await device.schedule(ScheduleRequest("tea", publishing: tea, time, value: ["cups": 2]))
    /// ```
    ///
    /// Each firing is a change of the name, even if the value is the same. A subscriber in the background receives one
    /// event, whose `Event.changeCount` is the number of firings. Entries belong to this user, outlast the program, the bus
    /// and a reboot, and end with their last firing. Another entry with the same identifier replaces the first one.
    ///
    /// - Returns: The entry, with the time of its first firing.
    /// - Throws: ``ReveilleError``, with the identifier: ``ReveilleError/Code/invalidArgument`` for an invalid time or
    ///   an unknown zone; ``ReveilleError/Code/quotaExceeded`` if the user has too many entries, or the entry cannot be
    ///   saved; ``ReveilleError/Code/notPermitted`` if this user may not publish the name or start a program.
    @discardableResult
    public func schedule(_ request: ScheduleRequest) async throws -> ScheduledEntry {
        let entry = try request.entry()
        return ScheduledEntry(ScheduleListing(entry: entry, next: try await add(entry)?.microseconds, fired: 0))
    }

    /// Removes an entry of this user from the schedule; past firings are still delivered.
    ///
    /// ```swift
    /// try await device.cancelScheduled("alarm")
    /// ```
    ///
    /// - Returns: Whether there was such an entry.
    /// - Throws: ``ReveilleError``, as ``scheduled()`` does.
    @discardableResult
    public func cancelScheduled(_ id: String) async throws -> Bool {
        do throws(ReveilleError) {
            return try await engine.call(CancelEntry(id)).cancelled > 0
        } catch {
            guard error.code == .noSuchEntry else { throw error }
            return false
        }
    }

    /// Removes all entries of this user from the schedule; past firings are still delivered.
    ///
    /// ```swift
    /// try await device.cancelAllScheduled()
    /// ```
    ///
    /// - Returns: The number of entries.
    /// - Throws: ``ReveilleError``, as ``scheduled()`` does.
    @discardableResult
    public func cancelAllScheduled() async throws -> Int {
        try await engine.call(CancelEntry(nil)).cancelled
    }

    /// Returns the entries of this user on the schedule, in the order of their identifiers.
    ///
    /// ```swift
    /// for entry in try await device.scheduled() { print(entry.id, entry.next as Any, entry.firingCount) }
    /// ```
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noBus`` or ``ReveilleError/Code/timeout`` if the bus is
    ///   unavailable, or ``ReveilleError/Code/notSupported`` if it is of a version without the schedule.
    public func scheduled() async throws -> [ScheduledEntry] {
        try await listings.map(ScheduledEntry.init)
    }

    package var listings: [ScheduleListing] {
        get async throws { try await engine.call(ListEntries()) }
    }

    package func add(_ entry: ScheduleEntry) async throws -> Timestamp? {
        do throws(ReveilleError) {
            let reply = try await engine.call(AddEntry(entry))
            return reply.next.map { Timestamp(microseconds: $0) }
        } catch {
            // An entry is checked before it is sent: only its zone can be unknown.
            let zone = error.code == .invalidArgument ? entry.zone.map { ": time zone \($0)" } ?? "" : ""
            throw error.of("\(entry.id)\(zone)")
        }
    }
}
