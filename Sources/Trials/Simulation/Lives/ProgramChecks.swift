// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The programs of a machine, which outlast the bus, and the checks of what happens to them.
final class ProgramChecks {
    /// The parent of the honest programs' cgroups.
    static let honestCgroup = "/honest"

    let programs: SimulatedPrograms
    private let hasHostileRoot: Bool
    private let hasRecords: Bool
    /// The guarantee that a request of the bus has violated.
    private var violation: Broken?

    init(_ programs: SimulatedPrograms, hasHostileRoot: Bool, hasRecords: Bool) {
        (self.programs, self.hasHostileRoot, self.hasRecords) = (programs, hasHostileRoot, hasRecords)
    }

    /// Checks that a program is in the background without tasks when the bus has its cgroup frozen, and that the next
    /// bus would know of the freeze.
    func checkFreeze(of cgroup: String, by bus: SimulatedBus) {
        guard bus.recordedCgroups.contains(cgroup) else {
            return violation = Broken("\(cgroup) is frozen without a record")
        }
        for subscriber in bus.subscribers where programs.processes[subscriber.processID]?.isBelow(cgroup) == true {
            guard !subscriber.holds.isDisjoint(with: .requested), subscriber.lifecycle ?? .suspended == .suspended,
                subscriber.tasks.isEmpty
            else { return violation = Broken("\(cgroup) is frozen in spite of \(subscriber)") }
        }
    }

    /// Checks that nothing forbidden happened to a program.
    func check() throws(Broken) {
        if let violation { throw violation }
        for process in programs.processes.values {
            let isHonest = process.isBelow(Self.honestCgroup)
            guard !isHonest || hasHostileRoot || !programs.isFrozen(process) else {
                throw Broken("the honest process \(process.pid) is frozen")
            }
            guard process.terminations == 0 || process.mayEnd else {
                throw Broken("process \(process.pid) was ended, which it has not declared")
            }
        }
    }

    /// Checks that a stopped bus has thawed everything, and that a killed bus has recorded all frozen cgroups.
    func checkThatNothingStaysFrozen(isClean: Bool) throws(Broken) {
        guard !isClean else {
            guard programs.frozen.isEmpty else { throw Broken("the bus stopped and left \(programs.frozen) frozen") }
            return
        }
        // Without a record, as in a program that runs the bus itself, only the user can thaw the cgroups.
        if !hasRecords { _ = programs.thawBeforeEnd(programs.frozen.sorted()) }
    }
}
