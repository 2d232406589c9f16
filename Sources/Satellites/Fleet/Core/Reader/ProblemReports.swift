// SPDX-License-Identifier: Apache-2.0

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
