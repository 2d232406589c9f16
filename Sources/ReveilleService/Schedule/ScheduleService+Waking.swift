// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

// The machine wakes by an alarm of this bus, or of the system bus.

extension ScheduleService {
    /// The users whose entries may wake the machine.
    var wakingUsers: Set<UInt32> {
        let others = access.permissions.isSystemWide ? configuration.schedule.wake.map(\.number) : []
        return Set(others + [0, access.permissions.owner])
    }

    func reconfigured() {
        schedule.wakingUsers = wakingUsers
        waitForNext()
    }

    /// Lets the machine wake at a time; `nil` for never.
    ///
    /// Where no alarm can wake it, the ordinary alarm fires once the machine is awake.
    func setWake(to time: Int64?) {
        defer { publishAlarm() }
        // A slot that is due already is handled in another turn of the loop.
        guard time != timers.wakeTime, time ?? .max > loop.wallClock else { return }
        timers.wakeTime = time
        guard let time else {
            timers.wake = nil
            systemWake?.set(to: nil)
            return
        }
        do throws(SystemError) {
            if timers.wake == nil { timers.wake = try wakeAlarm() }
            timers.wake?.set(to: time)
        } catch {
            if let systemWake { return systemWake.set(to: time) }
            guard !timers.hasReported else { return }
            timers.hasReported = true
            logger.notice("entries do not wake the machine: \(Self.reason(error))")
        }
    }

    private func wakeAlarm() throws(SystemError) -> any WallClockAlarm {
        try loop.alarm(wakes: true) { [unowned self] event in
            timers.wakeTime = nil
            alarmRang(event)
        }
    }

    /// Publishes the time of this bus's own alarm, and withdraws what an earlier bus has published without one.
    func publishAlarm() {
        let time = timers.wake == nil ? nil : timers.wakeTime
        guard time != nil || bus.publisher(of: .alarm) != nil else { return }
        access.publish(
            PublishedValue(.alarm, time.map { ["at": .integer($0)] }), by: Publisher(user: access.permissions.owner))
    }

    private var systemWake: SystemWake? { access.permissions.isSystemWide ? nil : services.system }

    // MARK: - Check

    /// Asks the system bus first if an answer depends on it, and returns whether it does; otherwise, the completion is not
    /// called.
    func askSystemBus(about names: [String], for user: UInt32, then completion: @escaping () -> Void) -> Bool {
        guard names.contains(Capability.wake.name), access.permissions.isOwner(user), let systemWake,
            wakeFailure != nil
        else { return false }
        systemWake.ask(completion)
        return true
    }

    func mayWake(_ user: UInt32) -> CapabilityAnswer {
        let permissions = access.permissions
        guard permissions.mayWake(user, in: configuration) else {
            return .no(
                permissions.isSystemWide
                    ? "permission denied: schedule.wake does not name uid \(user)"
                    : "permission denied: this bus wakes the machine for uid \(permissions.owner) only")
        }
        guard let failure = wakeFailure else { return .yes }
        return systemWake?.answer ?? .no(Self.reason(failure))
    }

    /// The reason why this bus has no alarm that wakes the machine.
    private var wakeFailure: SystemError? {
        guard timers.wake == nil else { return nil }
        do throws(SystemError) {
            _ = try wakeAlarm()
            return nil
        } catch {
            return error
        }
    }

    private static func reason(_ error: SystemError) -> String {
        switch error.code {
        case EPERM: "permission denied: waking the machine needs CAP_WAKE_ALARM"
        case EOPNOTSUPP: "the machine has no clock that can wake it"
        default: "\(error)"
        }
    }
}
