// SPDX-License-Identifier: Apache-2.0

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

    /// The cgroups that an earlier bus froze; a cgroup that has been suspended again meanwhile is thawed by a wake.
    private var formerCgroups: [String] {
        frozen.cgroups.filter { cgroup in !suspensions.contains { $0.cgroup == cgroup } }
    }

    /// Thaws the cgroups that an earlier bus froze, since their programs cannot ask for it.
    ///
    /// Failed thaws are tried again later; their failures have been logged the first time.
    func thawFormerPrograms(isRepeated: Bool = false) {
        let barrier = Barrier { [weak self] in self?.thawFormerProgramsLater() }
        for cgroup in formerCgroups where !suspensions.contains(where: { $0.overlaps(cgroup) }) {
            if !isRepeated { logger.notice("thawing \(cgroup), which the last bus left frozen") }
            let answered = barrier.enter()
            programs.thaw(cgroup) { [weak self] failure in
                if let failure {
                    self?.logger.log(
                        level: isRepeated ? .debug : .error, "\(cgroup) could not be thawed: \(failure)")
                } else {
                    self?.forget(cgroup)
                }
                answered()
            }
        }
        barrier.leave()
    }

    private func thawFormerProgramsLater() {
        formerThaws = nil
        guard !formerCgroups.isEmpty, !access.isStopping else { return }
        do throws(SystemError) {
            let timer = try loop.timer { [weak self] in self?.thawFormerPrograms(isRepeated: true) }
            timer.fire(after: .microseconds(Int64(FreezeState.answerTime)))
            formerThaws = timer
        } catch {
            logger.error("\(formerCgroups.joined(separator: ", ")) will be thawed by the next bus: \(error)")
        }
    }
}
