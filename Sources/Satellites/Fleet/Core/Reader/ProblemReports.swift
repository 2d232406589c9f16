// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The problems that were reported, so that each is reported once.
///
/// A problem is reported again if it changes, and after an hour. The memory is bounded for a broker that lies about
/// everything, and one subject cannot take the places of the others.
struct ProblemReports: Sendable {
    /// What a problem is about.
    fileprivate struct Subject: Hashable {
        let kind: Int
        let device: DeviceID?
        let name: String
    }

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
    fileprivate static let changeLimit = 4

    private var reports: [Subject: Report] = [:]
    /// The time of the last report that there are further problems.
    private var furtherTime: Int64?

    /// Returns a problem if it is to be reported.
    mutating func report(_ problem: FleetProblem, at now: Int64) -> FleetProblem? {
        let subject = problem.subject
        if var report = reports[subject], now - report.time < Self.interval {
            guard report.problem != problem, report.count < problem.reportLimit else { return nil }
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
    /// What the problem is about, without its details.
    fileprivate var subject: ProblemReports.Subject {
        switch self {
        case .invalidTopic(let topic): .init(kind: 0, device: nil, name: topic.escaped)
        case .invalidPayload(let topic, _): .init(kind: 1, device: nil, name: topic)
        case .implausible(let device, let aspect, _, _): .init(kind: 2, device: device, name: aspect)
        case .wentBack(let device, let aspect, _, _, _): .init(kind: 3, device: device, name: aspect)
        case .sharedIdentity(let device, _): .init(kind: 4, device: device, name: "")
        case .missingStates(let device, _): .init(kind: 5, device: device, name: "")
        case .missingStatus(let device): .init(kind: 6, device: device, name: "")
        case .missingDevices: .init(kind: 7, device: nil, name: "")
        case .unknownTime: .init(kind: 8, device: nil, name: "")
        case .tooLarge: .init(kind: 9, device: nil, name: "")
        case .tooManyStates(let device, _): .init(kind: 12, device: device, name: "")
        case .uncertain: .init(kind: 11, device: nil, name: "")
        case .further: .init(kind: 10, device: nil, name: "")
        }
    }

    /// The most reports of the subject in an interval.
    fileprivate var reportLimit: Int {
        switch self {
        // A full ledger ignores every further device, and the first one is as good an example as the next. So is the first
        // device without a clock: a fleet can have ten thousand of them, and their events have no time.
        case .tooLarge, .unknownTime: 1
        default: ProblemReports.changeLimit
        }
    }
}
