// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleWire
import Varlink

/// `reveille get`: the state now.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Prints the current state of each aspect.")

    @Argument(
        help: "locale, defaults, battery, proximity, orientation; all five if none is named.",
        completion: Aspect.completion, transform: Aspect.init(argument:))
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

extension Aspect {
    /// What a shell completes.
    static let completion = CompletionKind.list(allCases.map(\.rawValue))

    /// Reads an aspect of the command line.
    init(argument: String) throws {
        let words = Self.allCases.map(\.rawValue)
        guard let aspect = Aspect(rawValue: argument) else {
            throw ValidationError(
                "an aspect is \(Suggestion.list(words))\(Suggestion.phrase(for: argument, among: words))")
        }
        self = aspect
    }
}
