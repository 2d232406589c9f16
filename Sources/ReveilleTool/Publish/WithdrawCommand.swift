// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole

struct WithdrawCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Withdraw a published state.",
        discussion: """
            Subscribers receive an event with the value null. Withdrawing a name that is not published succeeds, and \
            is not a change. Prints the resulting state.
            """)

    @Argument(
        help: "The name.", completion: Aspect.publishedCompletion, transform: Aspect.init(publishedArgument:))
    var name: Aspect

    @Flag(help: "Print the resulting state as JSON, an Event of the interface.")
    var json = false

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            let device = try await bus.device()
            try await device.withdraw(name)
            try await device.printState(of: name, json: json)
        }
    }
}
