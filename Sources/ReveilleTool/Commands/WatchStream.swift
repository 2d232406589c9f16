// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire

/// The subscription of `reveille watch` and the output of its events; safe to use from any thread.
///
/// An event is taken only when it can be printed, so changes remain merged while stdout is blocked.
final class WatchStream: Sendable {
    /// The interval at which the prompt's pending changes are polled; the bus does not notify about them.
    private static let refreshInterval: Duration = .seconds(1)

    /// The number of pending aspects that the prompt lists; more are counted, so that the keys remain visible.
    private static let shownPending = 5

    /// The number of printed events that count towards `--count`.
    let counted = Lock(0)
    let prompt = PromptLine()

    private let command: WatchCommand
    private let stored: Lock<WatchPositionsFile?>
    /// Whether the prompt is shown and keys are read.
    let isInteractive: Bool
    private let subscription = Lock<Subscription?>(nil)
    private var name: String { command.name ?? Environment["REVEILLE_NAME"] ?? "reveille watch" }

    init(_ command: WatchCommand) throws(Failure) {
        self.command = command
        let aspects = AspectSet(naming: command.aspects)
        isInteractive = Console.isInteractive && !command.json
        stored = Lock(
            try command.state.map { path throws(Failure) in
                try WatchPositionsFile(path, watching: command.all ? nil : aspects)
            })
    }

    private func policies(of aspects: AspectSet) -> [Aspect: Policy] {
        guard let interval = command.interval else { return [:] }
        let policy = Policy(interval: .seconds(interval))
        return Dictionary(uniqueKeysWithValues: aspects.aspects.map { ($0, policy) })
    }

    func run() async throws {
        let device = try await Device.connect(to: command.bus.address, wait: command.wait, logger: .warnings)
        let aspects = command.all ? try await WatchedAspects.all(on: device) : AspectSet(naming: command.aspects)
        let subscription = try await device.subscribe(
            to: Set(aspects.aspects),
            options: SubscriptionOptions(
                initial: command.initial || isInteractive, policies: policies(of: aspects),
                resume: stored.withLock { $0?.positions }, name: name, background: command.background,
                domains: command.domains.selection(for: aspects)?.words))
        self.subscription.withLock { $0 = subscription }
        // Stored before the first event too, so the next run prints the changes that occur between the runs.
        try store(subscription.positions)
        if command.aspects.isEmpty, !command.all { try await WatchedAspects.reportLeftOut(on: device) }
        try await device.reportWaiting(for: command.aspects, of: command.domains.selection(for: aspects)?.words)
        if !command.initial, !command.all, !isInteractive { try await FolderHint.print(for: aspects, on: device) }
        showState(isHeld: command.background)
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.print(aspects, of: subscription, on: device) }
            group.addTask {
                try await device.reportConnection(endsOnLoss: self.command.once) { message in
                    self.prompt.print { Console.error(message) }
                }
            }
            if isInteractive { group.addTask { try await self.followState(on: device) } }
            try await group.next()
            group.cancelAll()
        }
    }

    func setState(isBackground: Bool) async throws {
        guard let subscription = subscription.withLock({ $0 }) else { return }
        if isBackground {
            try await subscription.enterBackground()
        } else {
            try await subscription.enterForeground()
        }
        showState(isHeld: isBackground)
    }

    // MARK: - Events

    private func print(_ aspects: AspectSet, of subscription: Subscription, on device: Device) async throws {
        let limit = command.limits.count ?? .max
        var column = EventText.column(for: aspects.aspects.filter { !$0.isPattern })
        while counted.withLock({ $0 }) < limit, let first = try await subscription.next() {
            var batch = Batch()
            var next: Event? = first
            while let event = next {
                column = max(column, EventText.column(for: [event.aspect]))
                batch.add(await line(of: event, column: column, on: device), counts: !isImplicit(event))
                let isFull = batch.text.utf8.count >= batchSize || counted.withLock({ $0 }) + batch.counted >= limit
                next = isFull ? nil : subscription.nextIfDue()
            }
            try prompt.print { () throws(Failure) in try Console.line(printable: batch.text) }
            // Not before: the next process prints the events that a killed one has not printed.
            try store(subscription.positions)
            counted.withLock { $0 += batch.counted }
        }
    }

    private func line(of event: Event, column: Int, on device: Device) async -> String {
        if command.json { return event.structure.printable }
        let time = EventText.time(of: event, withDate: command.date)
        let source = await source(of: event.aspect, on: device)
        let width = isInteractive ? Console.columns.map { $0 - time.width - source.width } : nil
        return (time + EventText.line(event, column: column, width: width) + source).rendered
    }

    /// The size at which a batch is printed: one event without a file, so that later events remain merged.
    private var batchSize: Int { command.state == nil ? 1 : Batch.limit }

    /// Whether the event is an initial state, printed only because the output is a terminal.
    private func isImplicit(_ event: Event) -> Bool {
        isInteractive && !command.initial && event.changeCount == 0
    }

    private func store(_ positions: Positions?) throws(Failure) {
        guard let positions else { return }
        try stored.withLock { stored throws(Failure) in try stored?.save(positions) }
    }

    private func source(of aspect: Aspect, on device: Device) async -> StyledText {
        guard command.source, let sources = try? await device.aspects(),
            let source = sources.first(where: { $0.aspect == aspect })
        else { return "" }
        return Style.dim("  [\(source.source)]")
    }

    /// The lines of events that were due at the same time, printed together before their positions are stored.
    private struct Batch {
        /// The size in bytes at which a batch ends: the capacity of a pipe.
        ///
        /// If the process is killed while a slow reader delays the output, the next process prints the whole batch
        /// again.
        static let limit = 64 << 10

        private(set) var text = ""
        private(set) var counted = 0

        mutating func add(_ line: String, counts: Bool) {
            if !text.isEmpty { text += "\n" }
            text += line
            if counts { counted += 1 }
        }
    }

    // MARK: - Prompt

    private func followState(on device: Device) async throws {
        while true {
            try await Task.sleep(for: Self.refreshInterval)
            guard prompt.isShown, let subscribers = try? await device.shell.subscriptions() else { continue }
            // In another PID namespace the bus has a different id for this process.
            guard let own = subscribers.first(where: { $0.processID == getpid() && $0.name == name }) else { continue }
            showState(isHeld: own.holds.contains(.app) || own.holds.contains(.operator), pending: own.pending)
        }
    }

    private func showState(isHeld: Bool, pending: [Aspect: Int]? = nil) {
        guard isInteractive else { return }
        guard isHeld else { return prompt.set(Style.green("foreground"), "   b background, q quit") }
        let counts = (pending ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let list = counts.count > Self.shownPending ? "\(counts.count) aspects" : counts.joined(separator: ", ")
        let changes = counts.isEmpty ? "nothing pending" : list + " pending"
        prompt.set(Style.yellow("background"), (pending == nil ? "" : ": " + changes) + "   f foreground, q quit")
    }
}
