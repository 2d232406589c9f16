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
        help: Aspect.argumentHelp("print"),
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
    /// Creates the set of the aspects named on the command line, or of the default aspects if none is named.
    init(naming aspects: [Aspect]) {
        self = aspects.isEmpty ? .default : AspectSet(aspects)
    }
}

extension Aspect {
    /// Returns the help of an argument that names aspects.
    static func argumentHelp(_ verb: String) -> ArgumentHelp {
        let words = AspectSet.default.aspects.map(\.name).joined(separator: ", ")
        return
            "The aspects to \(verb), published names or patterns such as org.example.*. Default: \(AspectSet.default == .device ? "all" : words)."
    }

    /// The names that a shell offers as completions.
    static let completion = CompletionKind.list(device.map(\.name))

    /// Parses an aspect, a published name or a pattern from the command line.
    init(argument: String) throws {
        let words = Self.device.map(\.name)
        guard let aspect = Aspect(argument) else {
            throw ValidationError(
                argument.contains(".")
                    ? "\(argument): a published name must be words of letters, digits, - and _, joined by dots"
                    : "an aspect must be \(Suggestion.list(words)), or a published name such as org.example.volume"
                        + Suggestion.phrase(for: argument, among: words))
        }
        self = aspect
    }
}

extension BuiltInAspect {
    /// The names that a shell offers as completions.
    static let completion = Aspect.completion

    /// Parses an aspect of the device from the command line.
    init(argument: String) throws {
        let words = Self.allCases.map(\.rawValue)
        guard let aspect = BuiltInAspect(rawValue: argument) else {
            throw ValidationError(
                "an aspect must be \(Suggestion.list(words))\(Suggestion.phrase(for: argument, among: words))")
        }
        self = aspect
    }
}
