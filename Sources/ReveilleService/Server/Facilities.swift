// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleHost
package import ReveilleSystem

/// The facilities of the machine that a bus uses.
package struct Facilities {
    package var programs: any Programs
    /// Without it, programs do not delay the sleep of the machine.
    package var sleep: (any MachineSleep)?
    package var schedule: ScheduleServices
    /// Without it, the state is neither restored nor saved.
    package var state: StateFile?
    /// Without it, the log of changes ends with the bus.
    package var log: LogFile?
    /// Returns the facts about the device that a user may know.
    package var deviceInfo: (UInt32) -> DeviceInfo

    package init(
        programs: any Programs, sleep: (any MachineSleep)? = nil, schedule: ScheduleServices = ScheduleServices(),
        state: StateFile? = nil, log: LogFile? = nil, deviceInfo: @escaping (UInt32) -> DeviceInfo
    ) {
        self.programs = programs
        self.sleep = sleep
        self.schedule = schedule
        self.state = state
        self.log = log
        self.deviceInfo = deviceInfo
    }
}
