// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleSystem
import ReveilleWatchers
import ReveilleWire

/// One run of `reveille rules`: one subscription for all rules of a file, which is followed, and their commands.
///
/// An actor on the loop of its session. Each version of the file and each connection to the bus begins a round: a
/// subscription that resumes where the rules are.
actor RulesSession {
    /// Whether a service manager runs this process, whose output is in the journal.
    static let isUnit = ProgramLog.isStderrJournal

    let file: RulesFile
    private let stateFile: CommandState
    let log: ProgramLog
    let session: CommandSession
    private let rounds = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private var followed: FollowedFile?
    /// The contents that the next round begins with; `nil` if they are those of the last round.
    private var newContents: [UInt8]?
    private var isRemoved = false
    var set: RuleSet
    private var subscriptions: [Subscription] = []

    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(
        _ file: RulesFile, _ stored: RulesState, in stateFile: CommandState, _ log: ProgramLog,
        _ session: sending CommandSession, on thread: LoopThread
    ) {
        (self.file, self.stateFile, self.log, self.thread) = (file, stateFile, log, thread)
        set = RuleSet(stored: stored)
        self.session = session
    }

    /// Follows the rules until the file is removed.
    func follow(_ bus: BusOptions) async throws {
        let device = try await bus.device(on: thread, wait: true) { [rounds] in rounds.continuation.yield() }
        followed = try FollowedFile(
            file.path, limit: RulesFile.sizeLimit, loop: thread.loop, warn: { self.log.write(.error, $0) }
        ) { self.take($0) }
        try await withThrowingDiscardingTaskGroup { group in
            for await _ in rounds.stream {
                for subscription in subscriptions { subscription.cancel() }
                subscriptions = []
                if newContents != nil { load() }
                do {
                    let former = set.instance
                    for domains in Set(set.rules.map(\.rule.domains)) {
                        let subscription = try await subscribe(to: domains, since: former, on: device)
                        subscriptions.append(subscription)
                        group.addTask { try await self.follow(subscription, of: domains, on: device) }
                    }
                    store()
                    // After the first look: the rules handle entries that fire from here on.
                    try await plan(on: device)
                } catch let error as ReveilleError where error.isLoss {
                    // Another round begins when the bus is back. A bus that was silent may not have been gone.
                    if error.code == .timeout { rounds.continuation.yield() }
                    continue
                }
                if isRemoved, newContents == nil { break }
            }
        }
    }

    private func take(_ contents: [UInt8]?) {
        newContents = contents ?? []
        isRemoved = contents == nil
        rounds.continuation.yield()
    }

    /// Takes a new version of the file.
    private func load() {
        let version = file.parse(newContents ?? [])
        newContents = nil
        for error in version.errors { log.write(.error, "\(file.path): \(error)") }
        for rule in set.replace(with: version.rules) {
            guard let failure = rule.missingCommand else { continue }
            log.write(.warning, "\(file.path): line \(rule.number): \(failure)")
        }
        log.write(.info, "\(file.path): \(Count.text(version.rules.count, "rule"))")
    }

    /// Subscribes to the aspects of the rules that choose some domains of the settings, or none.
    ///
    /// Rules without a position begin with the state: the bus counts the changes of domains for their subscribers alone,
    /// so it comes with the subscription; the states of others are asked for.
    private func subscribe(
        to domains: [String]?, since former: String?, on device: Device
    ) async throws -> Subscription {
        let subscription = try await device.subscribe(
            to: Set(set.rules(of: domains).map(\.rule.aspect)),
            options: SubscriptionOptions(
                initial: domains != nil, resume: set.positions(of: domains, in: former),
                name: Environment["REVEILLE_NAME"] ?? "reveille rules", domains: domains))
        guard let newer = subscription.positions?.instance else {
            throw ReveilleError(.noBus, "the bus has not answered")
        }
        set.begin(domains, in: newer, since: former)
        for progress in set.rules(of: domains) where domains == nil && progress.state?.generation == nil {
            let state = try await device.event(of: progress.rule.aspect)
            set.change(progress.rule.text) { $0.add(state) }
        }
        return subscription
    }

    /// Makes the entries of the schedule match the rules.
    private func plan(on device: Device) async throws {
        let wanted = set.rules.compactMap(\.rule.entry)
        let present: [ScheduleEntry]
        do {
            present = try await device.listings.map(\.entry).filter { $0.id.hasPrefix(file.entryPrefix) }
        } catch let error as ReveilleError where !error.isLoss {
            // A bus of an earlier version has no schedule.
            if !wanted.isEmpty { log.write(.error, "\(file.path): \(error)") }
            return
        }
        for entry in present where !wanted.contains(where: { $0.id == entry.id }) {
            try await device.cancelScheduled(entry.id)
            try await device.publish(PublishedValue(withdrawing: entry.aspect))
        }
        for progress in set.rules {
            guard let entry = progress.rule.entry, !present.contains(where: { $0.id == entry.id }) else { continue }
            do {
                _ = try await device.add(entry)
            } catch let error as ReveilleError where !error.isLoss {
                log.write(.error, "\(file.path): line \(progress.rule.number): \(error)")
            }
        }
    }

    /// Stores the state of all rules if a difference has to outlast this process.
    func store() {
        guard let state = set.unstored else { return }
        do throws(Failure) {
            try stateFile.replace(with: state)
            set.stored = state
        } catch {
            // The rules go on; their state is stored with the next change.
            log.write(.error, "\(error)")
        }
    }
}
