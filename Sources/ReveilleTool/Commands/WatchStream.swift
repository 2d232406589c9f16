// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleSystem
import ReveilleWire
import Varlink

/// What `reveille watch` subscribes to, and prints; any thread.
final class WatchStream: Sendable {
    /// Becomes readable when there is nothing more to print.
    let end: Pipe
    /// Why it ended, unless it was to end.
    let failure = Lock<(any Error)?>(nil)

    private let command: WatchCommand
    private let isInteractive: Bool
    private let subscription = Lock<Subscription?>(nil)

    init(_ command: WatchCommand, isInteractive: Bool, end: Pipe) {
        self.command = command
        self.isInteractive = isInteractive
        self.end = end
    }

    /// Subscribes, and prints until the count is reached or the bus is gone.
    func run() async {
        do {
            let device = try await command.bus.device()
            let subscription = try await device.subscribe(
                to: AspectSet(naming: command.aspects),
                delivering: command.initial || isInteractive ? .currentState : .changes,
                name: command.name ?? "reveille watch", startsInBackground: command.background)
            self.subscription.withLock { $0 = subscription }
            if isInteractive { showKeys(isBackground: command.background) }
            try await withThrowingTaskGroup { group in
                group.addTask { try await self.print(subscription) }
                group.addTask { try await self.waitForTheEnd(of: device) }
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
            showKeys(isBackground: isBackground)
        } catch {
            failure.withLock { $0 = error }
            end.wake()
        }
    }

    private func print(_ subscription: Subscription) async throws {
        var left = command.count ?? .max
        while left > 0, let event = try await subscription.next() {
            try command.json
                ? Console.json(EventCoding.encode(event)) : Console.line(time(event) + EventText.line(event))
            left -= 1
        }
    }

    private func waitForTheEnd(of device: Device) async throws {
        for await case .disconnected(let error) in await device.connectionStates { throw error }
    }

    private func time(_ event: Event) -> StyledText {
        Style.dim(event.changes == 0 ? "now       " : "\(LocalTime.text(event.changedAt))  ")
    }

    private func showKeys(isBackground: Bool) {
        let state = isBackground ? Style.yellow("background") : Style.green("foreground")
        Console.error(state + Style.dim("   b background, f foreground, q quit"))
    }
}
