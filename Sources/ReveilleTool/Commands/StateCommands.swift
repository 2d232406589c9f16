// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole

struct TargetOptions: ParsableArguments {
    @Argument(help: SubscriptionName.help, completion: SubscriptionName.completion) var subscription: String

    @OptionGroup var bus: BusOptions

    var name: SubscriptionName { SubscriptionName(text: subscription) }

    /// Clears the operator's hold of subscriptions, and reports and returns the reasons why they remain held.
    func wake(_ ids: [String], on device: Device) async throws -> HoldReasons {
        try await ids.changeEach { try await device.shell.wake($0) }
        let subscribers = try await device.shell.subscriptions().filter { ids.contains($0.id) }
        if subscribers.isEmpty { Console.error("reveille: \(subscription) has ended") }
        let holds = subscribers.reduce(into: HoldReasons()) { $0.formUnion($1.holds) }
        if holds.contains(.app) {
            Console.error("reveille: \(subscription) remains in the background: held by its own process (app)")
        }
        return holds
    }
}

struct HoldOptions: ParsableArguments {
    @OptionGroup var target: TargetOptions

    @Option(
        parsing: .unconditional, help: "Wake it after this many seconds.",
        transform: { .seconds(try Seconds.parse($0)) })
    var wakeAfter: Duration?
}

struct HoldCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Hold a program in the background, where it receives no events.",
        discussion: """
            This sets the operator's hold. The program can set a hold of its own; a subscription is in the foreground \
            when neither is set. 'reveille wake' clears it.
            """)

    @OptionGroup var options: HoldOptions

    func perform() async throws {
        let device = try await options.target.bus.device()
        let ids = try await options.target.name.ids(on: device)
        try await ids.changeEach { try await device.shell.hold($0, wakeAfter: options.wakeAfter) }
    }
}

struct SuspendCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspend a program: send it to the background and freeze its processes.",
        discussion: """
            All subscriptions of the program go to the background. The bus waits until its tasks have ended, and until \
            it has read its lifecycle if it subscribes to 'lifecycle'. Then the cgroup of the program is frozen, and \
            this command exits. A program that cannot be frozen stays in the background, and the reason is printed.

            A program has a cgroup of its own if it was started by 'reveille run' or as a unit of the service manager. \
            'reveille wake' thaws it.
            """)

    @OptionGroup var options: HoldOptions

    func perform() async throws {
        let device = try await options.target.bus.device()
        let ids = try await options.target.name.program(on: device)
        try await device.shell.suspend(program: ids, wakeAfter: options.wakeAfter)
    }
}

struct WakeCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "wake",
        abstract: "Wake a program: thaw it if it is suspended, and deliver what changed.",
        discussion: "Clears the operator's hold. A hold that the program set itself remains.")

    @OptionGroup var target: TargetOptions

    func perform() async throws {
        let device = try await target.bus.device()
        // In one expression, Swift 6.3.1 crashes when it optimizes.
        let ids = try await target.name.ids(on: device)
        let holds = try await target.wake(ids, on: device)
        if holds.contains(.frozen) {
            throw Failure(
                .failure, "\(target.subscription) is still frozen; the log of the bus has the reason")
        }
    }
}

struct RefreshCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Read every source again, and exit once all changes are posted.")

    @OptionGroup var bus: BusOptions

    func perform() async throws {
        try await bus.device().refresh()
    }
}
