// SPDX-License-Identifier: Apache-2.0

/// The events that a consumer has not taken yet, merged into one for each aspect of each device.
///
/// Its size is bounded by the numbers of devices and aspects, however slow the consumer is.
///
/// Pure.
package struct FleetInbox: Sendable {
    /// The subject that events must share to be merged.
    private enum Subject: Hashable {
        case state(DeviceID, String)
        case status(DeviceID)
        case problem(FleetProblem)
        case connection
    }

    /// The most problems that wait.
    static let problemLimit = 1_000

    /// The events; `nil` for events that cancelled each other.
    private var events: [Subject: FleetEvent?] = [:]
    /// The subjects in the order of their first events, from `next`.
    private var order: ContiguousArray<Subject> = []
    private var next = 0
    private var problemCount = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package private(set) var count = 0

    package mutating func put(_ outcome: Ledger.Outcome) {
        if let event = outcome.event { put(event) }
        if let problem = outcome.problem { put(.problem(problem)) }
    }

    /// Adds an event, merged with the waiting event of its subject.
    package mutating func put(_ event: FleetEvent) {
        let subject = Self.subject(of: event)
        if let earlier = events[subject] {
            let merged = earlier.map { Self.merged($0, event) } ?? event
            count += (merged == nil ? 0 : 1) - (earlier == nil ? 0 : 1)
            events.updateValue(merged, forKey: subject)
            return
        }
        if case .problem = event {
            guard problemCount < Self.problemLimit else { return }
            problemCount += 1
        }
        events[subject] = event
        count += 1
        order.append(subject)
    }

    package mutating func append(_ later: FleetInbox) {
        for subject in later.order[later.next...] { if case .some(let event?) = later.events[subject] { put(event) } }
    }

    /// Removes the event that has waited for longest; `nil` if there is none.
    package mutating func take() -> FleetEvent? {
        while next < order.count {
            let event = events.removeValue(forKey: order[next]) ?? nil
            next += 1
            // At this size, moving the rest to the front costs a constant time for each event.
            if next == order.count || next > 1_000 && next * 2 > order.count {
                order.removeFirst(next)
                next = 0
            }
            guard let event else { continue }
            count -= 1
            if case .problem = event { problemCount -= 1 }
            return event
        }
        return nil
    }

    /// Returns the position to save for an aspect whose events wait: the consumer's last seen position.
    ///
    /// - Returns: `.some(nil)` if an event waits and the consumer has seen none before; `nil` if no event waits.
    package func seen(_ aspect: String, of device: DeviceID) -> FleetPosition?? {
        switch events[.state(device, aspect)] {
        case .some(.state(let event)): .some(event.previous)
        case .some(.removed(let removal)): .some(removal.previous)
        default: nil
        }
    }

    /// The positions that the consumer has seen of aspects whose removal waits.
    package var removals: [(device: DeviceID, aspect: String, position: FleetPosition)] {
        order[next...].compactMap { subject in
            guard case .some(.removed(let removal)) = events[subject], let aspect = removal.aspect,
                let position = removal.previous
            else { return nil }
            return (removal.device, aspect, position)
        }
    }

    private static func subject(of event: FleetEvent) -> Subject {
        switch event {
        case .state(let event): .state(event.device, event.aspect)
        case .status(let status): .status(status.device)
        case .removed(let removal): removal.aspect.map { .state(removal.device, $0) } ?? .status(removal.device)
        case .problem(let problem): .problem(problem)
        case .caughtUp, .disconnected: .connection
        }
    }

    /// Returns two events as one; `nil` if nothing has changed for the consumer.
    private static func merged(_ earlier: FleetEvent, _ later: FleetEvent) -> FleetEvent? {
        switch (earlier, later) {
        case (.state(let one), .state(let other)): .state(one.merged(with: other))
        case (.removed(let one), .state(let other)):
            // The consumer has not seen the removal.
            one.previous == other.position ? nil : .state(other.following(one.previous))
        case (.state(let one), .removed(let other)):
            .removed(DeviceRemoval(device: other.device, aspect: other.aspect, previous: one.previous))
        default: later
        }
    }
}
