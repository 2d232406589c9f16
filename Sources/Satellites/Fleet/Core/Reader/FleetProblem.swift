// SPDX-License-Identifier: Apache-2.0

/// A problem in a fleet, which a reader reports and survives.
package enum FleetProblem: Sendable, Hashable {
    /// A topic below the root does not belong to the protocol; its control characters are escaped.
    case invalidTopic(String)
    /// The payload of a topic is invalid, and its last valid state remains.
    case invalidPayload(topic: String, reason: String)
    /// A generation is too far from the last one; the state was accepted, and its changes are unknown.
    case implausible(DeviceID, aspect: String, from: Int64, to: Int64)
    /// The broker has an older state than the last seen one.
    ///
    /// The older state was accepted if the device has continued from there, and ignored otherwise.
    case wentBack(DeviceID, aspect: String, from: Int64, to: Int64, isAccepted: Bool)
    /// Two buses use the identity of a device in turns.
    case sharedIdentity(DeviceID, instances: [String])
    /// The broker did not deliver states that the device has, not even in requests for one device at a time.
    case missingStates(DeviceID, aspects: [String])
    /// The broker delivered states of a device without its status.
    case missingStatus(DeviceID)
    /// The reader cannot know whether everything has arrived, for this reason.
    case uncertain(String)
    /// The clock of a device is not synchronized, so the times of its changes are unknown. Only one such device is
    /// reported an hour.
    case unknownTime(DeviceID)
    /// The fleet has more states than a reader keeps; the state was ignored.
    case tooLarge(DeviceID, limit: Int)
    /// The device has more states than a reader keeps for a device; the state was ignored.
    case tooManyStates(DeviceID, limit: Int)
    /// Further problems are not reported.
    case further(limit: Int)
}

extension FleetProblem: CustomStringConvertible {
    /// The problem with its subject and reason.
    package var description: String {
        switch self {
        case .invalidTopic(let topic):
            "the topic '\(topic)' is not one of the protocol; its message is ignored"
        case .invalidPayload(let topic, let reason): "\(topic.escaped): \(reason); the message is ignored"
        case .implausible(let device, let aspect, let from, let to):
            "\(device) \(aspect): generation \(to) after \(from) is implausible; the number of changes is unknown"
        case .wentBack(let device, let aspect, let from, let to, isAccepted: false):
            """
            \(device) \(aspect): the broker has generation \(to), but \(from) was seen; it is ignored. Has the broker lost \
            messages?
            """
        case .wentBack(let device, let aspect, let from, let to, isAccepted: true):
            """
            \(device) \(aspect): the device continues at generation \(to), but \(from) was seen; the number of changes is \
            unknown
            """
        case .sharedIdentity(let device, let instances):
            """
            \(device): the buses \(instances.joined(separator: " and ")) use this identity in turns. Are there two devices \
            with it?
            """
        case .missingStates(let device, let aspects):
            """
            \(device): the broker did not deliver \(aspects.joined(separator: ", ")), which the device has. Does the \
            broker limit its queues?
            """
        case .missingStatus(let device): "\(device): the broker has states of the device, but not its status"
        case .uncertain(let reason): reason
        case .unknownTime(let device):
            """
            \(device): its clock is not synchronized, so the times of its changes are unknown; further such devices are not \
            reported
            """
        case .tooLarge(let device, let limit):
            "\(device): the fleet has more than \(limit) states, the maximum of a reader; a state is ignored"
        case .tooManyStates(let device, let limit):
            "\(device): more than \(limit) states, the maximum of a device; a state is ignored"
        case .further(let limit): "more than \(limit) problems in an hour; further ones are not reported"
        }
    }
}

/// The reported problems, so that no problem is reported twice.
///
/// A problem is reported again if it changes, and after an hour. The memory is bounded even if a broker lies about
/// everything, and one subject cannot take the places of others.
struct ProblemReports: Sendable {
    private struct Report {
        var problem: FleetProblem
        var count: Int
        let time: Int64
    }

    /// The seconds after which a problem that persists is reported again.
    static let interval: Int64 = 3_600
    /// The most subjects in an interval: more than a person reads.
    static let subjectLimit = 1_000
    /// The most reports of one subject in an interval, each with other details.
    private static let changeLimit = 4

    private var reports: [Substring: Report] = [:]
    /// The time of the last report that there are further problems.
    private var furtherTime: Int64?

    mutating func report(_ problem: FleetProblem, at now: Int64) -> FleetProblem? {
        let subject = problem.subject
        if var report = reports[subject], now - report.time < Self.interval {
            guard report.problem != problem, report.count < (problem.isExample ? 1 : Self.changeLimit) else {
                return nil
            }
            report.problem = problem
            report.count += 1
            reports[subject] = report
            return problem
        }
        if reports.count >= Self.subjectLimit, reports[subject] == nil {
            if let furtherTime, now - furtherTime < Self.interval { return nil }
            reports = reports.filter { now - $0.value.time < Self.interval }
            guard reports.count < Self.subjectLimit else {
                furtherTime = now
                return .further(limit: Self.subjectLimit)
            }
        }
        reports[subject] = Report(problem: problem, count: 1, time: now)
        return problem
    }
}

extension FleetProblem {
    /// Whether one problem stands for all others of its kind: a full ledger ignores every further device, and a fleet
    /// can have ten thousand devices without a clock.
    fileprivate var isExample: Bool {
        switch self {
        case .tooLarge, .unknownTime: true
        default: false
        }
    }

    /// The problem's subject without details: the beginning of its description.
    fileprivate var subject: Substring {
        switch self {
        case .tooLarge: "limit"
        case .unknownTime: "time"
        default: description.prefix { $0 != ":" }
        }
    }
}
