// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleSystem
import ReveilleWire

/// The subscription of `reveille on`, which requests a run each time the condition becomes true.
///
/// An event is taken only when the previous run has ended, so changes are merged in the meantime.
final class TriggerStream: Sendable {
    /// The number of runs so far, and the exit code of the last one.
    let completed = Lock<(count: Int, code: Int32)>((0, 0))

    private let command: OnCommand
    private let runs: ProgramRuns
    private let start: TriggerProgress

    init(_ command: OnCommand, from start: TriggerProgress, runs: ProgramRuns) {
        self.command = command
        self.start = start
        self.runs = runs
    }

    /// Subscribes, and follows the aspect until the count of runs is reached or the runs end.
    func run() async throws {
        let device = try await command.bus.device()
        let subscription = try await device.subscribe(
            to: AspectSet(command.aspect), delivering: .currentState, resumingFrom: start.positions,
            name: Environment["REVEILLE_NAME"] ?? "reveille on \(command.aspect)")
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.follow(subscription, on: device) }
            group.addTask { try await device.reportConnection { Console.error($0) } }
            try await group.next()
            group.cancelAll()
        }
    }

    private func follow(_ subscription: Subscription, on device: Device) async throws {
        var progress = start
        while let event = try await subscription.next() {
            guard let instance = subscription.positions?.instance else {
                preconditionFailure("an event before the bus has answered")
            }
            for change in await changes(mergedInto: event, on: device) {
                guard try progress.take(change, of: instance) else { continue }
                let code = try await runs.run(for: change)
                // Not before: the run is repeated if this process is killed during it.
                try progress.store(change, of: instance)
                let count = completed.withLock { completed in
                    completed = (completed.count + 1, code)
                    return completed.count
                }
                guard runs.finish(), count < command.count ?? .max else { return }
            }
        }
    }

    /// Returns the changes that were merged into an event, as far as the bus keeps them.
    private func changes(mergedInto event: Event, on device: Device) async -> [Event] {
        guard event.changes > 1 else { return [event] }
        for await state in await device.connectionStates where state == .connected {
            do throws(ReveilleError) {
                return Trigger.changes(mergedInto: event, from: try await device.history(of: event.aspect))
            } catch {
                // If the connection was lost, the next one can be asked.
                guard [.noBus, .timeout, .system].contains(error.code) else { break }
            }
        }
        // Without a history, the last change counts for all.
        return Trigger.changes(mergedInto: event, from: [])
    }
}
