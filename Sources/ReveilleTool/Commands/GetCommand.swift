// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire

struct GetCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the current state of each aspect.",
        discussion: """
            A pattern prints each name that is published now; one that matches none is reported on stderr. A name that \
            is not published has the value null, and the exit code is 1.

            EXAMPLES
              reveille get battery orientation
              reveille get 'org.example.*'
              reveille get org.example.player --json | jq .value.volume
              reveille get defaults --domain app
            """)

    @Argument(
        help: Aspect.argumentHelp("print"),
        completion: Aspect.completion, transform: Aspect.init(argument:))
    var aspects: [Aspect] = []

    @Flag(help: "Print each state as a line of JSON, an Event of the interface.")
    var json = false

    @OptionGroup var domains: DomainOptions

    @OptionGroup var bus: BusOptions

    func validate() throws {
        _ = try domains.selection(for: AspectSet(naming: aspects))
    }

    func perform() async throws {
        Aspect.warnOfExpansion(aspects)
        let device = try await bus.device()
        let requested = AspectSet(naming: aspects)
        let selection = try domains.selection(for: requested)
        let events = try await device.getAll(Set(requested.aspects)).map { $0.limited(to: selection) }
        Aspect.reportUnmatched(
            aspects, among: events.filter { $0.published?.isWithdrawn != true }.map(\.aspect))
        let column = EventText.column(for: events.map(\.aspect))
        if json { FolderHint.print(for: events) }
        for event in events {
            try json ? Console.json(event.structure) : Console.line(EventText.line(event, column: column))
        }
        let absent = events.filter { $0.published?.isWithdrawn == true }.map(\.aspect.name)
        if !absent.isEmpty { throw Failure(.failure, "not published: \(absent.joined(separator: ", "))") }
        guard selection != nil, events.contains(where: { $0.defaults?.domains.isEmpty == true }) else { return }
        throw Failure(.failure, "there are no settings of the domain \(Suggestion.list(domains.domains))")
    }
}

extension Event {
    /// The event with a part of its settings, if it has any.
    fileprivate func limited(to selection: DomainSelection?) -> Event {
        guard let selection, let settings = self.defaults else { return self }
        return Event(
            reading: .defaults(selection.part(of: settings)), generation: generation, sequence: sequence,
            changeCount: changeCount, isNetChange: isNetChange, firstChangedAt: firstChangedAt, changedAt: changedAt,
            droppedCount: droppedCount)
    }
}
