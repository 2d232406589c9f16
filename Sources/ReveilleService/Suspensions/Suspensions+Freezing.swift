// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire

// The requests of suspensions to the system, and their answers.

extension Suspensions {
    func make(_ request: FreezeState.Request, of suspension: Suspension) {
        let completion: (CannotFreeze?) -> Void = { [weak self] failure in
            guard let self else { return }
            let answer = suspension.freeze.answered(request.number, failure: failure?.reason, at: loop.bootClock)
            take(answer.outcome, next: answer.next, of: suspension)
        }
        // A late answer may come when it is over already.
        if !suspensions.contains(where: { $0 === suspension }) { suspensions.append(suspension) }
        if request.freezes {
            programs.freeze(suspension.cgroup, then: completion)
        } else {
            programs.thaw(suspension.cgroup, then: completion)
        }
        continueDepartures()
    }

    func expire(_ suspension: Suspension) {
        let answer = suspension.freeze.expire(at: loop.bootClock)
        take(answer.outcome, next: answer.next, of: suspension)
    }

    private func take(_ outcome: FreezeState.Outcome?, next: FreezeState.Request?, of suspension: Suspension) {
        switch outcome {
        case nil: break
        case .frozen: if suspension.freeze.wantsFrozen { answer(suspension, nil) }
        case .notFrozen(let reason):
            answer(suspension, .cannotSuspend("\(suspension.cgroup) could not be frozen: \(reason)"))
        case .thawed: if !suspension.freeze.wantsFrozen { endThaw(of: suspension) }
        case .notThawed(let reason):
            logger.error("\(suspension.cgroup) could not be thawed: \(reason)")
            finishWakes(of: suspension)
        }
        if let next { make(next, of: suspension) }
    }

    func forget(_ cgroup: String) {
        do throws(SystemError) {
            try frozen.remove(cgroup)
        } catch {
            logger.warning("the record of a program that was frozen cannot be removed: \(error)")
        }
    }

    // MARK: - Start and end

    /// Thaws what a bus before this one froze, whose subscribers it no longer knows.
    func thawFormerPrograms() {
        for cgroup in frozen.cgroups { logger.notice("thawing \(cgroup), which the last bus left frozen") }
        thaw(frozen.cgroups, besides: [], isRepeated: false)
    }

    /// Thaws cgroups, and tries those again later that cannot be thawed now: their programs cannot ask for it.
    ///
    /// - Parameters:
    ///   - former: The cgroups.
    ///   - others: Other cgroups that are tried later.
    ///   - isRepeated: Whether they have been tried before, so that failures have been logged.
    private func thaw(_ former: [String], besides others: [String], isRepeated: Bool) {
        var waiting = former.count
        var left = others
        guard waiting > 0 else { return thawLater(left) }
        for cgroup in former {
            programs.thaw(cgroup) { [weak self] failure in
                guard let self else { return }
                if let failure {
                    logger.log(
                        level: isRepeated ? .debug : .error, "\(cgroup) could not be thawed: \(failure)")
                    left.append(cgroup)
                } else {
                    forget(cgroup)
                }
                waiting -= 1
                if waiting == 0 { thawLater(left) }
            }
        }
    }

    private func thawLater(_ left: [String]) {
        formerThaws = nil
        guard !left.isEmpty, !access.isStopping else { return }
        do throws(SystemError) {
            let timer = try loop.timer { [weak self] in
                guard let self else { return }
                // A cgroup that has been suspended again meanwhile is thawed when it is woken.
                let left = left.filter { cgroup in !self.suspensions.contains { $0.cgroup == cgroup } }
                let others = left.filter { cgroup in self.suspensions.contains { $0.overlaps(cgroup) } }
                thaw(left.filter { !others.contains($0) }, besides: others, isRepeated: true)
            }
            timer.fire(after: .microseconds(Int64(FreezeState.answerTime)))
            formerThaws = timer
        } catch {
            logger.error("\(left.joined(separator: ", ")) will be thawed by the next bus: \(error)")
        }
    }
}
