// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import Varlink

extension Uplink {
    /// The aspects that a bridge that stays connected follows besides those that it publishes.
    package static let machineAspects: AspectSet = [.sleep, .alarm]

    /// The sleep between two wakes of the device, and that of its machine, which is announced to the broker.
    struct Absence: Sendable {
        /// Whether the last connection ended with a sleep, and no attempt to connect has failed since.
        var hasSlept = false
        /// Whether the machine was about to sleep, and is not known to be awake.
        var isMachineAsleep = false
        /// Whether the sleep of the machine is delayed.
        var isDelayed = false
        /// The time of the alarm that wakes the machine, in microseconds since 1970; `nil` if none is set.
        var alarm: Int64?
        /// The alarm if the machine is asleep and its clock is right.
        var wakesAt: Int64?
    }

    mutating func noteMachine(_ states: [BusState], fraction: Double, _ effects: inout [Effect]) {
        for state in states where state.aspect == Aspect.alarm.name {
            absence.alarm = state.value.objectValue?["at"]?.integerValue.flatMap { $0 >= 0 ? $0 : nil }
        }
        switch states.last(where: { $0.aspect == Aspect.sleep.name })?.value.objectValue?["state"]?.stringValue {
        case Sleep.State.preparing.rawValue: prepareForSleep(&effects)
        case Sleep.State.awake.rawValue: wakeMachine(fraction: fraction, &effects)
        default: break
        }
    }

    private mutating func prepareForSleep(_ effects: inout [Effect]) {
        // A device that connects for its wakes only has said that it sleeps.
        guard phase == .online, configuration.wakeEvery == nil else { return }
        absence.isMachineAsleep = true
        absence.isDelayed = true
        absence.wakesAt = isClockSynchronized ? absence.alarm : nil
        effects.append(.delaySleep(true))
        sayGoodbye(&effects)
    }

    mutating func letSleep(_ effects: inout [Effect]) {
        if absence.isDelayed { effects.append(.delaySleep(false)) }
        absence.isDelayed = false
    }

    /// Connects again after a random pause: an alarm can wake a whole fleet in one moment.
    mutating func wakeMachine(fraction: Double, _ effects: inout [Effect]) {
        guard absence.isMachineAsleep else { return }
        absence.isMachineAsleep = false
        guard phase == .asleep else { return }
        phase = .offline
        effects.append(.wait(backoff.next(fraction: fraction)))
    }
}
