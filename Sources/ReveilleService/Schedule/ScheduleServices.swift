// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// The facilities of the machine that a schedule uses; all may be missing, as in a program's private device.
package struct ScheduleServices {
    /// The file that keeps the entries; without one, they end with the bus.
    package var file: ScheduleFile?
    package var zones: (any ZoneSource)?
    package var launcher: (any ProgramLauncher)?
    /// The address of the bus, for the programs that are started.
    package var address: String?

    package init(
        file: ScheduleFile? = nil, zones: (any ZoneSource)? = nil, launcher: (any ProgramLauncher)? = nil,
        address: String? = nil
    ) {
        self.file = file
        self.zones = zones
        self.launcher = launcher
        self.address = address
    }
}
