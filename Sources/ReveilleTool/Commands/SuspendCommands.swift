// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleConsole

/// `reveille suspend`: sends a program to the background and freezes it.
struct SuspendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspend a program: send it to the background and freeze its processes.",
        discussion: """
            All subscriptions of the program go to the background. The bus waits until its tasks have ended, and until \
            it has read its lifecycle if it subscribes to 'lifecycle'. Then the cgroup of the program is frozen, and \
            this command exits. A program that cannot be frozen stays in the background, and the reason is printed.

            A program has a cgroup of its own if it was started by 'reveille run' or as a unit of the service manager. \
            'reveille resume' thaws it.
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
            let ids = try await SubscriptionName(text: subscription).program(on: device)
            let deadline: Duration? = wakeAfter.map { .seconds($0) }
            // A cgroup is frozen only if none of its subscriptions is in the foreground.
            for id in ids.dropLast() { try await device.hold(id, wakeAfter: deadline) }
            if let id = ids.last { try await device.suspend(id, wakeAfter: deadline) }
            try Console.line("\(subscription) is suspended")
        }
    }
}

/// `reveille resume`: thaws a program and wakes its subscriptions.
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume a program: thaw it, and deliver what changed.",
        discussion: "Clears the operator's hold of all its subscriptions. A hold that the program set itself remains.")

    @Argument(help: SubscriptionName.help) var subscription: String

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            let device = try await bus.device()
            let ids = try await SubscriptionName(text: subscription).program(on: device)
            for id in ids { try await device.release(id) }
            let subscribers = try await device.subscribers().filter { ids.contains($0.id) }
            let holds = subscribers.reduce(into: HoldReasons()) { $0.formUnion($1.holds) }
            if subscribers.isEmpty {
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
