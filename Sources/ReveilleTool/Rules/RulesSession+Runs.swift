// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleHost
import ReveilleSystem

extension RulesSession {
    /// Examines the changes that a subscription delivers, until another round begins; then waits for the runs.
    func follow(_ subscription: Subscription, of domains: [String]?, on device: Device) async throws {
        try await withThrowingDiscardingTaskGroup { runs in
            for progress in set.rules(of: domains) {
                runs.addTask { await self.work(on: progress.rule.text, device) }
            }
            while let event = try await subscription.next() {
                for progress in set.rules(of: domains) where progress.rule.aspect == event.aspect {
                    set.change(progress.rule.text) { $0.add(event) }
                    runs.addTask { await self.work(on: progress.rule.text, device) }
                }
            }
        }
    }

    /// Examines the waiting changes of a rule one by one, unless this is done already, and runs its command when due.
    private func work(on text: String, _ device: Device) async {
        while !session.isEnding, let rule = set.rule(text), let event = set.change(text, { $0.take() }) ?? nil {
            for change in await device.changes(mergedInto: event, for: rule) where !session.isEnding {
                guard let due = set.change(text, { $0.look(at: change) }) ?? nil, let rule = set.rule(text) else {
                    continue
                }
                // The state before the due change, in case this process is killed: the bus may forget earlier changes.
                store()
                await run(rule, for: due, at: change)
            }
            if session.isEnding { return }
            set.change(text) { $0.rest() }
            store()
        }
    }

    private func run(_ rule: Rule, for event: Event, at change: Event) async {
        let place = "\(file.path): line \(rule.number)"
        do {
            let environment = await environment()
            let output = Self.isUnit ? try JournalStream("reveille-rules:\(rule.number)") : nil
            defer { withExtendedLifetime(output) {} }
            try await session.run(rule.command, for: event, environment: environment, output: output?.number) { code in
                if code != 0, !self.session.isEnding {
                    self.log.write(.warning, "\(place): \(rule.command[0]): \(Program.text(ofEnd: code))")
                }
                self.finish(change, of: rule.text, code)
            }
        } catch {
            log.write(.error, "\(place): \(error)")
            finish(change, of: rule.text, Failure.Code.notStarted.rawValue)
        }
    }

    private func finish(_ change: Event, of text: String, _ code: Int32) {
        set.change(text) { $0.finish(change, exitCode: code, at: .now) }
        store()
    }

    /// The variables of this process; as a unit, also those of the session, which may have begun after it.
    private func environment() async -> [String: String] {
        let own = Environment.all
        guard Self.isUnit else { return own }
        let manager = ServiceManager(loop: thread.loop)
        let session = await withCheckedContinuation { answer in
            manager.environment { answer.resume(returning: $0) }
        }
        switch session {
        case .success(let variables): return own.merging(variables) { $1 }
        case .failure(let failure):
            log.write(.debug, "the service manager's environment: \(failure)")
            return own
        }
    }
}
