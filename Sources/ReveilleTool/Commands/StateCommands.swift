// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleConsole

/// `reveille background`: holds a subscription.
struct BackgroundCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "background",
        abstract: "Send a subscription to the background, where it receives no events.",
        discussion: """
            This sets the operator's hold. The subscriber can set a hold of its own; the subscription wakes when \
            both are cleared.
            """)

    @Argument(help: SubscriptionName.help) var subscription: String

    @Option(
        parsing: .unconditional, help: "Wake the subscription after this many seconds.", transform: Seconds.parse)
    var wakeAfter: Double?

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if let wakeAfter { try Seconds.validate(wakeAfter, of: "--wake-after") }
    }

    func run() {
        Failure.awaiting {
            let device = try await bus.device()
            let id = try await SubscriptionName(text: subscription).id(on: device)
            try await device.hold(id, wakeAfter: wakeAfter.map { .seconds($0) })
        }
    }
}

/// `reveille foreground`: clears the operator's hold.
struct ForegroundCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foreground",
        abstract: "Return a subscription to the foreground.",
        discussion: "Clears the operator's hold. A hold that the subscriber set itself remains.")

    @Argument(help: SubscriptionName.help) var subscription: String

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            let device = try await bus.device()
            let id = try await SubscriptionName(text: subscription).id(on: device)
            try await device.release(id)
            // The subscription may have ended in the meantime.
            guard let subscriber = try await device.subscribers().first(where: { $0.id == id }),
                subscriber.holds.contains(.app)
            else { return }
            Console.error("reveille: \(subscription) remains in the background: held by its own process (app)")
        }
    }
}

/// `reveille refresh`: reads every source again.
struct RefreshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Read every source again, and exit once all changes are posted.")

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            try await bus.device().refresh()
        }
    }
}
