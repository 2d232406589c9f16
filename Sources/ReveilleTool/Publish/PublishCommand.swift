// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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
            reveille publish [OPTIONS] NAME - --needed COMMAND [ARGUMENT ...]
            """,
        discussion: """
            A name consists of at least two words, joined by dots. Its state is a JSON object, which remains until it \
            is published again or withdrawn with 'reveille withdraw', also when the bus restarts. A value that is \
            equal to the current one, with its members in any order, is not a change. Prints the resulting state.

            With --while, the state is published before the command starts and withdrawn when it has ended, even if \
            'reveille' is killed; nothing is printed. If the bus restarts meanwhile, the state is published again. \
            SIGHUP, SIGINT, SIGQUIT and SIGTERM are passed on to the command. The exit code is the command's, 128 plus \
            the number of the signal that ended it, or 127 if it cannot be started.

            With --needed, the command runs only while a subscriber needs the name, and is ended with SIGTERM when \
            nobody does. It prints one state a line; 'reveille' publishes them, and withdraws the last one when it \
            ends. A line that is not a state, or that the bus refuses, is reported on stderr, and does not change the \
            exit code. Without a bus, the newest state waits for it. A command that ends by itself runs again when \
            the name is needed anew.

            EXAMPLES
              reveille publish org.example.player '{"volume": 0.5, "muted": false}'
              sensors -j | reveille publish org.example.sensors -
              reveille publish org.example.recorder '{"on": true}' --while arecord talk.wav
              reveille publish org.example.load - --needed vmstat-as-json 5
            """)

    @Argument(
        help: "The name, such as org.example.player.", completion: Aspect.publishedCompletion,
        transform: Aspect.init(publishedArgument:))
    var name: Aspect

    @Argument(help: "The value as a JSON object, or - to read one object from stdin, up to its end.")
    var value: String

    @Flag(help: "Print the resulting state as JSON, an Event of the interface.")
    var json = false

    @OptionGroup var bus: BusOptions

    @Option(
        name: .customLong("while"), parsing: .remaining,
        help: ArgumentHelp(
            "Publish only while a command runs. All further arguments belong to the command.", valueName: "command"))
    var words: [String] = []

    @Option(
        name: .customLong("needed"), parsing: .remaining,
        help: ArgumentHelp(
            "Publish the output of a command that runs only while somebody needs the name. All further arguments "
                + "belong to the command.", valueName: "command"))
    var neededWords: [String] = []

    private static func command(_ words: [String]) -> [String] {
        words.first == "--" ? Array(words.dropFirst()) : words
    }

    func validate() throws {
        for (words, option, form) in [(words, "--while", "VALUE --while"), (neededWords, "--needed", "- --needed")] {
            // The parser does not distinguish an option without values from an absent one.
            let isLast = ProcessArguments.all.last == option && self.words.isEmpty && neededWords.isEmpty
            if Self.command(words).isEmpty && (!words.isEmpty || isLast) {
                throw ValidationError("missing command: reveille publish NAME \(form) COMMAND")
            }
            if json && !words.isEmpty { throw ValidationError("--json and \(option) cannot be combined") }
        }
        if !neededWords.isEmpty && value != "-" {
            throw ValidationError("--needed takes the states from its command: give - instead of \(value)")
        }
    }

    func perform() throws {
        guard words.isEmpty && neededWords.isEmpty else {
            let command = Self.command(words + neededWords)
            try Program.check(command)
            return try (words.isEmpty ? publishing(from: command) : publishing(while: command)).endProcess()
        }
        try AwaitedTask.awaiting {
            let value = try JSONObject(argument: value, for: name)
            let device = try await bus.device()
            try await device.publish(PublishedName(name), value)
            try await device.printState(of: name, json: json)
        }
    }

    /// Runs a command once the state is published, which is tied to the device's connection.
    ///
    /// The connection ends with the process: the bus withdraws the state before it serves later connections.
    private func publishing(while command: [String]) throws -> CommandSession.Ending {
        let value = try JSONObject(argument: value, for: name)
        return try CommandSession.run { [name, bus] session, thread in
            let device = try await Device.connect(to: bus.address, logger: .warnings, on: thread)
            try await device.publish(PublishedName(name), value, whileConnected: true)
            try await session.run(command) { session.exitCode = $0 }
            withExtendedLifetime(device) {}
        }
    }

    private func publishing(from command: [String]) throws -> CommandSession.Ending {
        try CommandSession.run { [name, bus] session, thread in
            try await NeededSession(name, command, session, on: thread).follow(try await bus.device(on: thread))
        }
    }
}

struct WithdrawCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Withdraw a published state.",
        discussion: """
            Subscribers receive an event with the value null. Withdrawing a name that is not published succeeds, is \
            not a change, and is reported on stderr. Prints the resulting state.
            """)

    @Argument(
        help: "The name.", completion: Aspect.publishedCompletion, transform: Aspect.init(publishedArgument:))
    var name: Aspect

    @Flag(help: "Print the resulting state as JSON, an Event of the interface.")
    var json = false

    @OptionGroup var bus: BusOptions

    func perform() async throws {
        let device = try await bus.device()
        if try await device.event(of: name).published?.isWithdrawn == true {
            let names = try await device.aspects().filter { $0.isAvailable && !$0.aspect.isOwn }.map(\.aspect.name)
            Console.error("reveille: \(name) was not published\(Suggestion.nearest(to: name.name, among: names))")
        }
        try await device.publish(PublishedValue(withdrawing: name))
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
