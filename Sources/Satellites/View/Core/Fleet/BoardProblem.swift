// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore

/// What is wrong with a device, or with the fleet as a whole, until it is over.
///
/// The end of a problem with states shows: their next ones are in order. Nothing shows the end of another one, such as two
/// devices with one identity; it is over when it has not been reported for two hours. A connection that does not
/// report a problem again proves nothing before, because the reader repeats one that lasts only once an hour.
struct BoardProblem: Sendable, Hashable {
    /// What replaces an earlier problem of a device.
    enum Kind: Hashable {
        case identity, missingStates, order, other
    }

    /// The time without a report, in microseconds, after which the reader has not met the problem again: twice the hour
    /// after which it would repeat it, since a connection can take long.
    static let lifetime: Int64 = 2 * 3_600_000_000

    let kind: Kind
    /// The device that needs attention; `nil` for a problem of the fleet as a whole.
    let device: DeviceID?
    let text: String
    /// The aspects whose next states end it; `nil` if no state does.
    private var aspects: Set<String>?
    private let reportedAt: Int64

    /// Creates what a problem means at a time in microseconds since 1970, UTC.
    init(_ problem: FleetProblem, at now: Int64) {
        (kind, device, aspects) =
            switch problem {
            case .sharedIdentity(let device, _): (.identity, device, nil)
            case .missingStates(let device, let aspects): (.missingStates, device, Set(aspects))
            case .wentBack(let device, let aspect, _, _, _), .implausible(let device, let aspect, _, _):
                (.order, device, [aspect])
            case .tooManyStates(let device, _): (.other, device, nil)
            default: (.other, nil, nil)
            }
        text = problem.description
        reportedAt = now
    }

    /// Whether the reader would have reported it again.
    func isOld(at now: Int64) -> Bool { now - reportedAt >= Self.lifetime }

    /// Whether what has arrived shows that it is over.
    func isOver(at now: Int64) -> Bool { aspects?.isEmpty ?? isOld(at: now) }

    /// Takes a state of the device.
    mutating func take(_ event: DeviceEvent) {
        // Neither counted nor the first one of its bus: it is out of order itself.
        guard event.changes != nil || event.isNewInstance || event.previous == nil else { return }
        settle(event.aspect)
    }

    /// Takes the aspects that the device has now.
    mutating func keep(_ listed: [String]) {
        if kind == .missingStates { aspects?.formIntersection(listed) }
    }

    /// Notes that nothing is wrong with an aspect.
    mutating func settle(_ aspect: String) { aspects?.remove(aspect) }
}
