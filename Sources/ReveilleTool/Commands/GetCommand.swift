// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ArgumentParser
public import Reveille
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
        Failure.awaiting {
            let device = try await bus.device()
            for event in try await device.states(of: AspectSet(naming: aspects)) {
                try json ? Console.json(EventCoding.encode(event)) : Console.line(EventText.line(event))
            }
        }
    }
}

extension AspectSet {
    /// The aspects that were named on the command line; all five if none was.
    init(naming aspects: [Aspect]) {
        self = aspects.isEmpty ? .all : AspectSet(aspects)
    }
}
