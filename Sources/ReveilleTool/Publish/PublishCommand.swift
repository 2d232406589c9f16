// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire
import Varlink

struct PublishCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish a state under a name of your own.",
        usage: """
            reveille publish [OPTIONS] NAME VALUE
            reveille publish [OPTIONS] NAME VALUE --while COMMAND [ARGUMENT ...]
            """,
        discussion: """
            A name consists of at least two words, joined by dots. Its state is a JSON object, which remains until it \
            is published again or withdrawn with 'reveille withdraw', also when the bus restarts. A value that is \
            equal to the current one, with its members in any order, is not a change. Prints the resulting state.

            With --while, the state is published before the command starts and withdrawn when it has ended, even if \
            'reveille' is killed; nothing is printed. If the bus restarts meanwhile, the state is published again. \
            SIGHUP, SIGINT, SIGQUIT and SIGTERM are passed on to the command. The exit code is the command's, 128 plus \
            the number of the signal that ended it, or 127 if it cannot be started.

            EXAMPLES
              reveille publish org.example.player '{"volume": 0.5, "muted": false}'
              sensors -j | reveille publish org.example.sensors -
              reveille publish org.example.recorder '{"on": true}' --while arecord talk.wav
            """)

    @Argument(
        help: "The name, such as org.example.player.", completion: Aspect.publishedCompletion,
        transform: Aspect.init(publishedArgument:))
    var name: Aspect

    @Argument(help: "The value as a JSON object, or - to read it from stdin.")
    var value: String

    @Flag(help: "Print the resulting state as JSON, an Event of the interface.")
    var json = false

    @OptionGroup var bus: BusOptions

    @Option(
        name: .customLong("while"), parsing: .remaining,
        help: ArgumentHelp(
            "Publish only while a command runs. All further arguments belong to the command.", valueName: "command"))
    var words: [String] = []

    /// The command of `--while` and its arguments; empty without the option.
    var command: [String] { words.first == "--" ? Array(words.dropFirst()) : words }

    func validate() throws {
        // The parser does not distinguish an option without values from an absent one.
        if command.isEmpty && (!words.isEmpty || ProcessArguments.all.last == "--while") {
            throw ValidationError("missing command: reveille publish NAME VALUE --while COMMAND")
        }
        if json && !words.isEmpty { throw ValidationError("--json and --while cannot be combined") }
    }

    func perform() throws {
        guard words.isEmpty else {
            try Program.check(command)
            let code = try PublishSession(self, JSONObject(argument: value, for: name)).run()
            Glibc.exit(code)
        }
        try AwaitedTask.awaiting {
            let value = try JSONObject(argument: value, for: name)
            let device = try await bus.device()
            try await device.publish(name, value)
            try await device.printState(of: name, json: json)
        }
    }
}

struct WithdrawCommand: AwaitingCommand {
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

    func perform() async throws {
        let device = try await bus.device()
        try await device.withdraw(name)
        try await device.printState(of: name, json: json)
    }
}

extension JSONObject {
    init(argument: String, for name: Aspect) throws(Failure) {
        try self.init(
            argument: argument, for: name.name, maximumDepth: PublishedValue.depthLimit,
            withdrawal: "reveille withdraw \(name)")
    }
}
