// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille

/// `reveille suspend`: freezes the program behind a subscription.
struct SuspendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspend the program behind a subscription: freeze its processes.",
        discussion: """
            The program goes to the background, finishes its tasks, and reads that it is suspended if it subscribes to \
            'lifecycle'. Then its cgroup is frozen, and this command ends. A program that was started by \
            'reveille run' has a cgroup of its own. 'reveille resume' thaws it.
            """)

    @Argument(help: SubscriptionName.help) var subscription: String

    @Option(parsing: .unconditional, help: "Resume the program after this many seconds.", transform: Seconds.parse)
    var wakeAfter: Double?

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if let wakeAfter { try Seconds.validate(wakeAfter, of: "--wake-after") }
    }

    func run() {
        Failure.awaiting {
            let device = try await bus.device()
            let id = try await SubscriptionName(text: subscription).id(on: device)
            try await device.suspend(id, wakeAfter: wakeAfter.map { .seconds($0) })
            try Console.line("\(subscription) is suspended")
        }
    }
}

/// `reveille resume`: thaws a program and wakes its subscription.
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume the program behind a subscription: thaw it, and deliver what changed.",
        discussion: "Clears the operator's hold too. A hold that the subscriber set itself remains.")

    @Argument(help: SubscriptionName.help) var subscription: String

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            let device = try await bus.device()
            let id = try await SubscriptionName(text: subscription).id(on: device)
            try await device.release(id)
            let subscriber = try await device.subscribers().first { $0.id == id }
            let holds = subscriber?.holds.subtracting(.unread) ?? []
            if subscriber == nil {
                try Console.line("\(subscription) has ended")
            } else if holds.contains(.frozen) {
                throw Failure(.failure, "\(subscription) is still frozen; the log of the bus has the reason")
            } else if holds.contains(.app) {
                try Console.line("\(subscription) runs in the background: held by its own process (app)")
            } else {
                try Console.line("\(subscription) is in the foreground")
            }
        }
    }
}
