// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ArgumentParser
public import ReveilleCore
import ReveilleWire
import Varlink

extension Aspect: ExpressibleByArgument {}

/// `reveille get`: the state now.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Prints the current state of each aspect.")

    @Argument(help: "locale, defaults, battery, proximity, orientation; all five if none is named.")
    var aspects: [Aspect] = []

    @Flag(help: "One JSON object a line: the interface's Event.")
    var json = false

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.guarding {
            let client = try BusClient(bus.resolved())
            let reply = try client.call("GetState", Aspect.parameters(aspects))
            for event in try Events.of(reply) {
                Console.line(json ? event.json.description : EventText.line(event.event))
            }
        }
    }
}

extension Aspect {
    /// The parameter `aspects` of a call; none for all five.
    static func parameters(_ aspects: [Aspect]) -> JSONObject {
        aspects.isEmpty ? [:] : ["aspects": .array(aspects.map { .string($0.rawValue) })]
    }
}

/// The events of a reply, as they came and as they are understood.
enum Events {
    static func of(_ parameters: JSONObject) throws(Failure) -> [(json: JSON, event: Event)] {
        var events: [(JSON, Event)] = []
        for json in parameters["events"]?.arrayValue ?? [] {
            do throws(CallError) {
                events.append((json, try EventCoding.decode(json)))
            } catch {
                throw Failure(.protocol, "an event that the interface does not allow: \(error)")
            }
        }
        return events
    }
}
