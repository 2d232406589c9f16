// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleSystem

/// One run of `reveille on`: a rule whose errors end the command.
final class OnSession {
    private let session: CommandSession
    private let rule: Rule
    private let file: CommandState?
    private let count: Int?
    private var set: RuleSet
    private var runs = 0

    init(_ rule: Rule, _ stored: RulesState, in file: CommandState?, count: Int?, _ session: sending CommandSession) {
        (self.session, self.rule, self.file, self.count) = (session, rule, file, count)
        set = RuleSet(stored: stored)
        _ = set.replace(with: [rule])
    }

    /// Runs the command whenever it is due.
    ///
    /// An event is taken only when the previous run has ended, so changes are merged in the meantime.
    func follow(_ device: Device) async throws {
        let subscription = try await device.subscribe(
            to: [rule.aspect],
            options: SubscriptionOptions(
                initial: true, resume: set.positions(of: rule.domains, in: set.instance),
                name: Environment["REVEILLE_NAME"] ?? "reveille on \(rule.aspect)", domains: rule.domains))
        try await device.reportWaiting(for: [rule.aspect], of: rule.domains)
        while let event = try await subscription.next() {
            guard let instance = subscription.positions?.instance else {
                preconditionFailure("an event before the bus has answered")
            }
            set.begin(rule.domains, in: instance, since: set.instance)
            for change in await device.changes(mergedInto: event, for: rule) where !session.isEnding {
                let due = set.change(rule.text) { $0.look(at: change) } ?? nil
                try store()
                guard let due else { continue }
                try await session.run(rule.command, for: due) { try self.finish(change, $0) }
                if session.exitCode != nil { return }
            }
        }
    }

    private func finish(_ change: Event, _ code: Int32) throws(Failure) {
        if code != 0, !session.isEnding {
            Console.error("reveille: \(rule.command[0]): \(Program.text(ofEnd: code))")
        }
        set.change(rule.text) { $0.finish(change, exitCode: code, at: .now) }
        try store()
        runs += 1
        if runs == count { session.exitCode = code }
    }

    private func store() throws(Failure) {
        guard let file, let state = set.unstored else { return }
        try file.replace(with: OnState(state, of: rule))
        set.stored = state
    }
}
