// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem

/// The contents of a broker for a fleet at one time.
struct FleetSnapshot {
    private(set) var statuses: [DeviceID: DeviceStatus] = [:]
    private(set) var states: [DeviceID: [String: DeviceEvent]] = [:]

    /// Reads the contents of a broker; problems are logged.
    static func read(
        _ interest: FleetInterest, from broker: FleetBroker, _ log: ProgramLog
    ) throws -> FleetSnapshot {
        let loop = try EventLoop()
        let mailbox = FleetMailbox()
        var snapshot = FleetSnapshot()
        var isComplete = false
        var failure: FleetError?
        var reader: FleetReader?
        reader = FleetReader(broker, interest: interest, into: mailbox, on: loop) {
            do throws(FleetError) {
                while !isComplete, let event = try mailbox.nextIfDue() { isComplete = try snapshot.take(event, log) }
                guard isComplete else { return }
            } catch {
                failure = error
            }
            reader?.sleep()
            loop.exit()
        }
        reader?.wake()
        try withExtendedLifetime(reader) { try loop.run() }
        if let failure { throw Failure(failure) }
        return snapshot
    }

    /// Takes an event, and returns whether it is the last one.
    private mutating func take(_ event: FleetEvent, _ log: ProgramLog) throws(FleetError) -> Bool {
        switch event {
        case .state(let event): states[event.device, default: [:]][event.aspect] = event
        case .status(let status): statuses[status.device] = status
        case .removed(let removal):
            if let aspect = removal.aspect {
                states[removal.device]?[aspect] = nil
            } else {
                statuses[removal.device] = nil
            }
        // Commands that read once print no times of changes.
        case .problem(.unknownTime): break
        case .problem(let problem): log.write(.warning, "\(problem)")
        case .disconnected(let error): throw error
        case .caughtUp: return true
        }
        return false
    }
}
