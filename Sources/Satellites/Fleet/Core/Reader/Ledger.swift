// SPDX-License-Identifier: Apache-2.0

/// A reader's record of a fleet, and its rule for counting changes.
///
/// Each aspect of each device has a position: the instance of the device's bus, and the generation of the last state.
/// For a state of the same instance, the number of changes is the difference of generations; without a positive
/// difference, the state is a duplicate. For the first state of an aspect or of another instance, the number is
/// unknown. Numbers of changes in messages are never added up.
///
/// Pure: times are arguments, in seconds of any clock that does not go back.
package struct Ledger: Sendable {
    package struct Outcome: Sendable, Hashable {
        /// The event; `nil` for a duplicate, and for a message that was ignored.
        package var event: FleetEvent?
        /// The problem, if it has not been reported yet.
        package var problem: FleetProblem?

        package init(_ event: FleetEvent? = nil, problem: FleetProblem? = nil) {
            self.event = event
            self.problem = problem
        }
    }

    /// The most devices and states: 100,000 devices with nine states each.
    package static let entryLimit = 1_000_000
    /// The largest plausible difference of generations: a hundred changes a second for a century are fewer.
    package static let plausibleStep: Int64 = 1_000_000_000_000

    private let limit: Int
    private(set) var devices: [DeviceID: DeviceRecord] = [:]
    private var problems = ProblemReports()
    /// The number of the connection to the broker; 0 before the first.
    package private(set) var connection = 0
    /// The number of aspects that have a position or had a message.
    package private(set) var stateCount = 0
    /// Whether there may be states that the broker no longer has.
    private var hasAbsentStates = false

    package init(limit: Int = Self.entryLimit) { self.limit = limit }

    package var deviceCount: Int { devices.count }

    /// Notes a new connection to the broker, which delivers all retained messages again.
    package mutating func connect() { connection += 1 }

    /// Takes a message of the broker; its topic may be anything, and its payload is empty if the topic was deleted.
    ///
    /// A retained message is one that the broker had before this subscription; its expiry is in seconds.
    package mutating func receive(
        _ payload: [UInt8], on topic: String, isRetained: Bool, expiry: UInt32?, at now: Int64
    ) -> Outcome {
        guard let parsed = try? FleetTopic(topic) else {
            return Outcome(problem: report(.invalidTopic(topic.escaped), at: now))
        }
        do throws(FleetError) {
            switch parsed {
            case .state(let device, let aspect) where payload.isEmpty: return remove(aspect, of: device)
            case .status(let device) where payload.isEmpty: return removeStatus(of: device)
            case .state(let device, let aspect):
                return take(try StateMessage(payload), of: device, aspect: aspect, isRetained: isRetained, at: now)
            case .status(let device):
                return take(try StatusMessage(payload), of: device, expiry: expiry, at: now)
            case .desired, .groupDesired, .mark: return Outcome()
            }
        } catch {
            // The broker has delivered the topic, although its payload is useless: asking again is pointless.
            switch parsed {
            case .state(let device, let aspect):
                if admit(aspect, of: device) { devices[device]?.states[aspect]?.connection = connection }
            case .status(let device): if admit(device) { devices[device]?.statusConnection = connection }
            default: break
            }
            return Outcome(problem: report(.invalidPayload(topic: topic, reason: error.description), at: now))
        }
    }

    package mutating func take(
        _ message: StateMessage, of device: DeviceID, aspect: String, isRetained: Bool, at now: Int64
    ) -> Outcome {
        guard admit(aspect, of: device),
            let outcome = devices[device]?.take(message, of: aspect, isRetained: isRetained, in: connection, at: now)
        else { return Outcome(problem: report(tooLarge(device), at: now)) }
        return Outcome(outcome.event, problem: outcome.problem.flatMap { report($0, at: now) })
    }

    package mutating func take(
        _ message: StatusMessage, of device: DeviceID, expiry: UInt32?, at now: Int64
    ) -> Outcome {
        guard admit(device) else { return Outcome(problem: report(tooLarge(device), at: now)) }
        devices[device]?.statusConnection = connection
        let outcome = devices[device]?.take(message, expiry: expiry, at: now) ?? Outcome()
        return Outcome(outcome.event, problem: outcome.problem.flatMap { report($0, at: now) })
    }

    package mutating func removeStatus(of device: DeviceID) -> Outcome {
        guard devices[device]?.status != nil else { return Outcome() }
        devices[device]?.status = nil
        forgetIfEmpty(device)
        return Outcome(.removed(DeviceRemoval(device: device, aspect: nil)))
    }

    package mutating func remove(_ aspect: String, of device: DeviceID) -> Outcome {
        guard let state = forget(aspect, of: device) else { return Outcome() }
        forgetIfEmpty(device)
        guard let position = state.seen, !state.isAbsent else { return Outcome() }
        return Outcome(.removed(DeviceRemoval(device: device, aspect: aspect, previous: position)))
    }

    /// Returns a problem unless it was reported before.
    package mutating func report(_ problem: FleetProblem, at now: Int64) -> FleetProblem? {
        problems.report(problem, at: now)
    }

    // MARK: - Places

    /// Returns whether a device has a place, and makes one if necessary.
    private mutating func admit(_ device: DeviceID) -> Bool {
        if devices[device] != nil { return true }
        guard hasRoom() else { return false }
        devices[device] = DeviceRecord(device: device)
        return true
    }

    /// Returns whether an aspect of a device has a place, and makes one if necessary.
    mutating func admit(_ aspect: String, of device: DeviceID) -> Bool {
        if devices[device]?.states[aspect] != nil { return true }
        if isFull(device) { forgetAbsentStates(of: device) }
        guard !isFull(device), hasRoom(), admit(device) else { return false }
        devices[device]?.states[aspect] = DeviceRecord.State()
        stateCount += 1
        return true
    }

    mutating func update(_ aspect: String, of device: DeviceID, _ change: (inout DeviceRecord.State) -> Void) {
        guard var state = devices[device]?.states[aspect] else { return }
        change(&state)
        devices[device]?.states[aspect] = state
        if state.isAbsent { hasAbsentStates = true }
    }

    mutating func forget(_ aspect: String, of device: DeviceID) -> DeviceRecord.State? {
        guard let state = devices[device]?.states.removeValue(forKey: aspect) else { return nil }
        stateCount -= 1
        return state
    }

    mutating func forgetIfEmpty(_ device: DeviceID) {
        guard let record = devices[device], record.states.isEmpty, record.status == nil else { return }
        devices[device] = nil
    }

    private func tooLarge(_ device: DeviceID) -> FleetProblem {
        isFull(device) ? .tooManyStates(device, limit: StatusMessage.aspectLimit) : .tooLarge(device, limit: limit)
    }

    private var isFull: Bool { devices.count + stateCount >= limit }

    private func isFull(_ device: DeviceID) -> Bool {
        devices[device].map { $0.states.count >= StatusMessage.aspectLimit } ?? false
    }

    /// Forgets absent states of all devices if the ledger is full, and returns whether it has room for another state.
    private mutating func hasRoom() -> Bool {
        guard isFull, hasAbsentStates else { return !isFull }
        hasAbsentStates = false
        for device in devices.keys {
            forgetAbsentStates(of: device)
            forgetIfEmpty(device)
        }
        return !isFull
    }

    private mutating func forgetAbsentStates(of device: DeviceID) {
        for (aspect, state) in devices[device]?.states ?? [:] where state.isAbsent { _ = forget(aspect, of: device) }
    }
}
