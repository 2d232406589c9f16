// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

// The machine wakes by an alarm of this bus, or of the system bus.

extension BusServer {
    /// The users whose entries may wake the machine.
    var wakingUsers: Set<UInt32> {
        let others = permissions.isSystemWide ? configuration.schedule.wake.map(\.number) : []
        return Set(others + [0, permissions.owner])
    }

    func reconfigureSchedule() {
        changeSchedule { [wakingUsers] scheduler, _ in scheduler.entries.wakingUsers = wakingUsers }
    }

    func setAlarm(to time: Int64?) {
        guard let time else { return alarms.next = nil }
        do throws(SystemError) {
            if alarms.next == nil { alarms.next = try makeAlarm(wakes: false) }
            alarms.next?.set(to: time)
        } catch {
            features.scheduler.alarmFailed("\(error)", at: loop.bootClock)
        }
    }

    /// Lets the machine wake at a time; `nil` for never.
    ///
    /// Where no alarm can wake it, the ordinary alarm fires once the machine is awake.
    func setWake(to time: Int64?) {
        defer { publishAlarm(for: time) }
        guard let time else {
            alarms.wake = nil
            systemWake?.set(to: nil)
            return
        }
        do throws(SystemError) {
            if alarms.wake == nil { alarms.wake = try makeAlarm(wakes: true) }
            alarms.wake?.set(to: time)
        } catch {
            if let systemWake { return systemWake.set(to: time) }
            guard !alarms.hasReportedWake else { return }
            alarms.hasReportedWake = true
            logger.notice("entries do not wake the machine: \(Self.reason(error))")
        }
    }

    private func makeAlarm(wakes: Bool) throws(SystemError) -> any WallClockAlarm {
        try loop.alarm(wakes: wakes, handler: weakly(self) { $0.alarmRang($1, isWake: wakes) })
    }

    private func alarmRang(_ event: WallClockEvent, isWake: Bool) {
        changeSchedule { $0.alarmRang(isWake: isWake, clockHasChanged: event == .clockChanged, at: $1.wallClock) }
    }

    /// Publishes the time of this bus's own alarm; without one, withdraws the time that an earlier bus published.
    func publishAlarm(for wake: Int64? = nil) {
        let time = alarms.wake == nil ? nil : wake
        guard time != nil || bus.publisher(of: .alarm) != nil else { return }
        publish(
            PublishedValue(.alarm, time.map { ["at": .integer($0)] }), by: Publisher(user: permissions.owner))
    }

    private var systemWake: SystemWake? { permissions.isSystemWide ? nil : facilities.schedule.system }

    // MARK: - Check

    /// Asks the system bus first if an answer depends on it, and returns whether it does; otherwise, the completion is not
    /// called.
    func askSystemBus(about names: [String], for user: UInt32, then completion: @escaping () -> Void) -> Bool {
        guard names.contains(Capability.wake.name), permissions.isOwner(user), let systemWake,
            wakeFailure != nil
        else { return false }
        systemWake.ask(completion)
        return true
    }

    func mayWake(_ user: UInt32) -> CapabilityAnswer {
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
        guard alarms.wake == nil else { return nil }
        do throws(SystemError) {
            _ = try makeAlarm(wakes: true)
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
