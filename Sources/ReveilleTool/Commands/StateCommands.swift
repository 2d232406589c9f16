// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille

/// `reveille background`: holds somebody's subscription.
struct BackgroundCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "background",
        abstract: "Sends a subscription to the background: it gets nothing until it is woken.",
        discussion: "The hold is the operator's; the subscriber's own hold is another, and both must be cleared.")

    @Argument(
        help: "The subscription: its name, its process id, or its id as 'reveille status' shows it, or how that begins."
    )
    var subscription: String

    @Option(parsing: .unconditional, help: "Wake it after this many seconds.")
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

/// `reveille foreground`: wakes it.
struct ForegroundCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foreground",
        abstract: "Clears the operator's hold; without a hold of its own, the subscription wakes.")

    @Argument(
        help: "The subscription: its name, its process id, or its id as 'reveille status' shows it, or how that begins."
    )
    var subscription: String

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            let device = try await bus.device()
            let id = try await SubscriptionName(text: subscription).id(on: device)
            try await device.release(id)
            // It may have ended in between.
            guard let subscriber = try await device.subscribers().first(where: { $0.id == id }),
                subscriber.holds.contains(.app)
            else { return }
            Console.error("reveille: \(subscription) is still in the background: its own process holds it (app)")
        }
    }
}

/// `reveille refresh`: reads every source again.
struct RefreshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Reads every source again now, and ends when what changed is posted.")

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            try await bus.device().refresh()
        }
    }
}
