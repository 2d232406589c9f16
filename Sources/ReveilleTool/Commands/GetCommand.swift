// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleWire
import Varlink

/// `reveille get`: prints the current state.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the current state of each aspect.")

    @Argument(
        help: "The aspects to print. Default: all.",
        completion: Aspect.completion, transform: Aspect.init(argument:))
    var aspects: [Aspect] = []

    @Flag(help: "Print each state as a line of JSON, an Event of the interface.")
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
    /// Creates the set of the aspects named on the command line, or of all aspects if none is named.
    init(naming aspects: [Aspect]) {
        self = aspects.isEmpty ? .all : AspectSet(aspects)
    }
}

extension Aspect {
    /// The names that a shell offers as completions.
    static let completion = CompletionKind.list(allCases.map(\.rawValue))

    /// Parses an aspect from the command line.
    init(argument: String) throws {
        let words = Self.allCases.map(\.rawValue)
        guard let aspect = Aspect(rawValue: argument) else {
            throw ValidationError(
                "an aspect must be \(Suggestion.list(words))\(Suggestion.phrase(for: argument, among: words))")
        }
        self = aspect
    }
}
