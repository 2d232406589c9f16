// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// The rules of time zones from the files of the tz database and `/etc/localtime`, kept up to date while they are used.
///
/// Nothing is open until a zone is watched. A zone whose file becomes invalid or disappears keeps its last rules, and
/// this is logged once. Loop thread only.
package final class ZoneFiles {
    /// The time from a change to the read: long enough for a removed link to be created again.
    private static let settle: Duration = .milliseconds(100)

    /// Called with the name of a watched zone whose rules have changed.
    package var changed: (String) -> Void = { _ in }

    private struct Zone {
        /// The last valid rules, if there have been any.
        var rules: TimeZoneRules?
        var problem: String?
    }

    private let loop: EventLoop
    private let locations: ZoneLocations
    private let warn: (String) -> Void
    private var zones: [ZoneName: Zone] = [:]
    private var watch: PathWatch?
    private var timer: EventSource?
    private var due: Set<ZoneName> = []
    private var isArmed = false

    /// Creates a reader that watches nothing; `warn` takes one line for the log for each new problem.
    package init(loop: EventLoop, locations: ZoneLocations, warn: @escaping (String) -> Void) {
        self.loop = loop
        self.locations = locations
        self.warn = warn
    }

    /// Returns the rules of a zone, or the last valid ones, and watches it until ``stop()``.
    ///
    /// The name is of the tz database, or `local` for the device's zone. A zone without rules is not watched, as anybody
    /// can ask for one.
    package func rules(of name: String) throws(ZoneError) -> TimeZoneRules {
        guard let zone = ZoneName(name) else { throw ZoneError("not a name of the tz database") }
        guard !zone.isConstant else { return .utc }
        if let rules = zones[zone]?.rules { return rules }
        let rules = try locations.read(zone)
        add(zone)
        return zones[zone]?.rules ?? rules
    }

    /// Watches a zone that has no rules yet; ``changed`` is called as soon as it has.
    package func wait(for name: String) {
        if let zone = ZoneName(name), !zone.isConstant, zones[zone] == nil { add(zone) }
    }

    package func stop() {
        watch = nil
        timer = nil
        zones = [:]
        due = []
        isArmed = false
    }

    private func add(_ zone: ZoneName) {
        do throws(SystemError) {
            if timer == nil { timer = try loop.timer(priority: .watcher, handler: weakly(self) { $0.readDue() }) }
            if watch == nil { watch = try PathWatch(loop: loop, root: "", handler: weakly(self) { $0.handle($1) }) }
        } catch {
            warn("\(error); changes of time zones go unnoticed")
        }
        watch?.add(locations.path(of: zone))
        // After the watch is in place, since the file may have changed before.
        zones[zone] = Zone()
        read(zone)
    }

    /// Reads a watched zone, and returns whether its rules have changed.
    @discardableResult
    private func read(_ zone: ZoneName) -> Bool {
        guard let old = zones[zone] else { return false }
        do throws(ZoneError) {
            let rules = try locations.read(zone)
            zones[zone] = Zone(rules: rules)
            return rules != old.rules
        } catch {
            zones[zone]?.problem = error.description
            if old.problem != error.description {
                warn("time zone \(zone): \(error)\(old.rules == nil ? "" : "; its last rules remain")")
            }
            return false
        }
    }

    private func handle(_ notice: PathWatch.Notice) {
        switch notice {
        case .path(let path, _): due.formUnion(zones.keys.filter { locations.path(of: $0) == path })
        case .mounted, .lost: due.formUnion(zones.keys)
        case .refused(let error): return warn("\(error); changes of time zones in this directory go unnoticed")
        case .entry, .unreadableName: return
        }
        // The timer is not set again, since a file may be written without a pause.
        guard !isArmed else { return }
        isArmed = true
        timer?.fire(after: Self.settle)
    }

    private func readDue() {
        isArmed = false
        let changed = due.filter { read($0) }
        due = []
        for zone in changed.map(\.description).sorted() { self.changed(zone) }
    }
}
