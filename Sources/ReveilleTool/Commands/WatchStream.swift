// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleSystem
import ReveilleWire
import Varlink

/// What `reveille watch` subscribes to, and prints; any thread.
final class WatchStream: Sendable {
    /// How often a person sees anew what waits in the background, which nothing tells.
    private static let glance: Duration = .seconds(1)

    /// Becomes readable when there is nothing more to print.
    let end: Pipe
    /// Why it ended, unless it was to end.
    let failure = Lock<(any Error)?>(nil)
    /// How many of the events that `--count` counts have been printed.
    let counted = Lock(0)
    /// Says on a terminal what can be done.
    let prompt = PromptLine()

    private let command: WatchCommand
    private let stored: Lock<StoredPositions?>
    private let isInteractive: Bool
    private let subscription = Lock<Subscription?>(nil)
    private var name: String { command.name ?? "reveille watch" }

    init(_ command: WatchCommand, stored: StoredPositions?, isInteractive: Bool, end: Pipe) {
        self.command = command
        self.stored = Lock(stored)
        self.isInteractive = isInteractive
        self.end = end
    }

    /// Subscribes, and prints until the count is reached.
    func run() async {
        do {
            let device = try await command.bus.device()
            let subscription = try await device.subscribe(
                to: AspectSet(naming: command.aspects),
                delivering: command.initial || isInteractive ? .currentState : .changes,
                resumingFrom: stored.withLock { $0?.positions }, name: name, startsInBackground: command.background)
            self.subscription.withLock { $0 = subscription }
            // Before the first event already: what changes while nothing runs is told by the next run.
            try store(subscription.positions)
            showState(isHeld: command.background)
            try await withThrowingTaskGroup { group in
                group.addTask { try await self.print(subscription, of: device) }
                group.addTask { try await self.followConnection(of: device) }
                if isInteractive { group.addTask { try await self.followState(on: device) } }
                try await group.next()
                group.cancelAll()
            }
        } catch {
            failure.withLock { $0 = error }
        }
        end.wake()
    }

    /// Sends the subscription to the background, or wakes it.
    func setState(isBackground: Bool) async {
        guard let subscription = subscription.withLock({ $0 }) else { return }
        do {
            if isBackground {
                try await subscription.enterBackground()
            } else {
                try await subscription.enterForeground()
            }
            showState(isHeld: isBackground)
        } catch {
            failure.withLock { $0 = error }
            end.wake()
        }
    }

    // MARK: - Events

    private func print(_ subscription: Subscription, of device: Device) async throws {
        let limit = command.count ?? .max
        while counted.withLock({ $0 }) < limit, let event = try await subscription.next() {
            if command.json {
                try Console.json(EventCoding.encode(event))
            } else {
                let line = time(event) + EventText.line(event) + (await source(of: event.aspect, on: device))
                try prompt.print(line) { text throws(Failure) in try Console.line(text) }
            }
            try store(subscription.positions)
            if !isUnasked(event) { counted.withLock { $0 += 1 } }
        }
    }

    /// Whether an event is a state that is shown only because somebody sits at the terminal.
    private func isUnasked(_ event: Event) -> Bool {
        isInteractive && !command.initial && event.changes == 0
    }

    private func store(_ positions: Positions?) throws(Failure) {
        guard let positions else { return }
        try stored.withLock { stored throws(Failure) in try stored?.save(positions) }
    }

    private func time(_ event: Event) -> StyledText {
        let day = command.date ? LocalTime.date(event.changedAt) + " " : ""
        let time = event.changes == 0 && !command.date ? "now" : day + LocalTime.time(event.changedAt)
        return Style.dim(StyledText(time)).padded(to: command.date ? 21 : 10)
    }

    private func source(of aspect: Aspect, on device: Device) async -> StyledText {
        guard command.source, let sources = try? await device.sources(),
            let source = sources.first(where: { $0.aspect == aspect })
        else { return "" }
        return Style.dim("  [\(source.text)]")
    }

    // MARK: - The bus that goes and comes back

    private func followConnection(of device: Device) async throws {
        var isLost = false
        for await state in await device.connectionStates {
            switch state {
            case .disconnected(let error) where command.once: throw error
            case .disconnected(let error):
                if !isLost { say("reveille: \(error); waiting for the bus to come back") }
                isLost = true
            case .connected:
                if isLost { say("reveille: the bus is back") }
                isLost = false
            }
        }
    }

    private func say(_ message: StyledText) {
        // A message that is lost has nobody to be told.
        try? prompt.print(message) { Console.error($0) }
    }

    // MARK: - What waits

    /// Says what waits for as long as somebody can see it.
    private func followState(on device: Device) async throws {
        while true {
            try await Task.sleep(for: Self.glance)
            guard prompt.isShown, let subscribers = try? await device.subscribers() else { continue }
            // The bus knows this process by another number where it sees another part of the machine.
            guard let own = subscribers.first(where: { $0.processID == getpid() && $0.name == name }) else { continue }
            showState(isHeld: own.holds.contains(.app) || own.holds.contains(.operator), pending: own.pending)
        }
    }

    private func showState(isHeld: Bool, pending: [Aspect: Int]? = nil) {
        guard isInteractive else { return }
        guard isHeld else { return prompt.say(Style.green("foreground"), "   b background, q quit") }
        let counts = Aspect.allCases.compactMap { aspect in pending?[aspect].map { "\(aspect) \($0)" } }
        let waiting = counts.isEmpty ? "nothing waits" : counts.joined(separator: ", ") + " waiting"
        prompt.say(Style.yellow("background"), (pending == nil ? "" : ": " + waiting) + "   f foreground, q quit")
    }
}
