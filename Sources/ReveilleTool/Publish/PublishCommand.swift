// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleWire

/// `reveille publish`: publishes a state.
struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish a state under a name of your own.",
        discussion: """
            A name consists of at least two words, joined by dots. Its state is a JSON object, which remains until it \
            is published again or withdrawn with 'reveille withdraw'. A value that is equal to the current one, \
            with its members in any order, is not a change. Prints the resulting state.

            EXAMPLES
              reveille publish org.example.player '{"volume": 0.5, "muted": false}'
              sensors -j | reveille publish org.example.sensors -
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

    func run() {
        Failure.guarding {
            try bus.publish(PublishedValue(name, argument: value), json: json)
        }
    }
}

extension BusOptions {
    /// Publishes or withdraws a state, and prints the resulting state.
    func publish(_ value: PublishedValue, json: Bool) throws {
        let client = try BlockingClient(resolved())
        _ = try client.call(.publish(value), expecting: PostReply.self)
        let states = try client.call(.getState(AspectSet(value.name)), expecting: EventsReply.self)
        for event in states.events {
            try json ? Console.json(EventCoding.encode(event)) : Console.line(EventText.line(event))
        }
    }
}
