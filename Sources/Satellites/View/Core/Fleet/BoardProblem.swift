// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore

/// A current problem of a device, or of the fleet as a whole.
///
/// A problem with states ends when the next states are in order. Any other problem, such as two devices with one
/// identity, has no visible end: it is over after two hours without a report. Earlier silence proves nothing, because
/// the reader repeats a lasting problem only once an hour.
struct BoardProblem: Sendable, Hashable {
    /// The kind of problem; a new problem replaces an earlier one of its kind.
    enum Kind: Hashable {
        case identity, missingStates, order, other
    }

    /// The time without a report, in microseconds, after which the problem is over: twice the hour between two reports,
    /// since a connection can take long.
    static let lifetime: Int64 = 2 * 3_600_000_000

    let kind: Kind
    /// The device that needs attention; `nil` for a problem of the fleet as a whole.
    let device: DeviceID?
    let text: String
    /// The aspects whose next states end the problem; `nil` if no state does.
    private var aspects: Set<String>?
    private let reportedAt: Int64

    /// Creates the board's form of a problem, reported at a time in microseconds since 1970, UTC.
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

    /// Whether the reader would have reported the problem again.
    func isOld(at now: Int64) -> Bool { now - reportedAt >= Self.lifetime }

    /// Whether later states have shown that the problem is over.
    func isOver(at now: Int64) -> Bool { aspects?.isEmpty ?? isOld(at: now) }

    mutating func take(_ event: DeviceEvent) {
        // An event that is neither counted nor the first of its bus is out of order itself.
        guard event.changeCount != nil || event.isNewInstance || event.previous == nil else { return }
        settle(event.aspect)
    }

    mutating func keep(_ listed: [String]) {
        if kind == .missingStates { aspects?.formIntersection(listed) }
    }

    mutating func settle(_ aspect: String) { aspects?.remove(aspect) }
}
