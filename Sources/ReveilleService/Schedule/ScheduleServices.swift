// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleHost
package import ReveilleWatchers

/// The facilities of the machine that a schedule uses; all may be missing, as in a program's private device.
package struct ScheduleServices {
    /// The file that keeps the entries; without one, they end with the bus.
    package var file: ScheduleFile?
    package var zones: (any ZoneSource)?
    /// The rules that are known without a source of zones.
    package var rules: [String: TimeZoneRules]
    package var launcher: (any ProgramLauncher)?
    /// The address of the bus, for the programs that are started.
    package var address: String?
    /// The system bus, which wakes the machine for a user's bus.
    package var system: SystemWake?

    package init(
        file: ScheduleFile? = nil, zones: (any ZoneSource)? = nil, rules: [String: TimeZoneRules] = ["UTC": .utc],
        launcher: (any ProgramLauncher)? = nil, address: String? = nil, system: SystemWake? = nil
    ) {
        self.file = file
        self.zones = zones
        self.rules = rules
        self.launcher = launcher
        self.address = address
        self.system = system
    }
}

/// The rules of time zones by their names, and notice of their changes; loop thread only.
package protocol ZoneSource: AnyObject {
    /// Returns the rules of a zone, which is watched until ``stop()``; `local` is the device's zone.
    func rules(of name: String) throws(ZoneError) -> TimeZoneRules

    /// Watches a zone without rules; ``changed`` is called as soon as it has some.
    func wait(for name: String)

    /// Called with the name of a watched zone whose rules have changed.
    var changed: (String) -> Void { get set }

    func stop()
}

extension ZoneFiles: ZoneSource {}
