// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire

struct PlotCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot",
        abstract: "Draw the latest changes of a number as a chart.",
        discussion: """
            Draws the level of the battery, the brightness of the display, the light around the device, or the power \
            of the battery, from the changes that the bus keeps (bus.history in its configuration). If the output is \
            not a terminal, or one that is too narrow, prints a line with the time and the number of each change.

            EXAMPLES
              reveille plot battery
              reveille plot battery --since 2h
              reveille plot light --json
            """)

    /// The number of rows of a chart: enough for steps of one percent in the upper half of a terminal.
    private static let rows = 12
    private static let names = BuiltInAspect.allCases.filter { ChartedNumber(Aspect($0)) != nil }.map(\.rawValue)

    @Argument(
        help: "The aspect: \(Suggestion.list(names)).", completion: .list(names), transform: Self.aspect(argument:))
    var aspect: Aspect

    @OptionGroup var period: PeriodOptions

    @Flag(help: "Print each change as a line of JSON, with changedAt and value.")
    var json = false

    @OptionGroup var bus: BusOptions

    private static func aspect(argument: String) throws -> Aspect {
        guard let aspect = BuiltInAspect(rawValue: argument).map({ Aspect($0) }), ChartedNumber(aspect) != nil else {
            let hint = Suggestion.phrase(for: argument, among: names)
            throw ValidationError("'\(argument)' has no number; an aspect must be \(Suggestion.list(names))\(hint)")
        }
        return aspect
    }

    func perform() throws {
        guard let number = ChartedNumber(aspect) else { return }
        let client = try BlockingClient(bus.resolved())
        let reply = try client.call(.getHistory(aspect, limit: nil), expecting: EventsReply.self)
        let events = reply.events.filter(period.includes)
        let points = events.map { PlotPoint(time: $0.changedAt, value: number.value($0.reading)) }
        if json { return try points.forEach { try Console.json($0.json) } }
        guard points.contains(where: { $0.value != nil }) else {
            let time = period.since == nil ? "" : " since then"
            return Console.error("reveille: the bus has no values of \(aspect) to draw\(time)")
        }
        let chart = PlotChart(points, number: number)
        if Console.isTerminal, let lines = chart.lines(columns: Console.columns ?? 0, rows: Self.rows) {
            try Console.line(Style.bold("\(aspect)") + Style.dim("  \(chart.summary)"))
            for line in lines { try Console.line(line) }
        } else {
            for point in points {
                try Console.line(
                    "\(LocalTime.date(point.time)) \(LocalTime.time(point.time))  \(chart.text(of: point))")
            }
        }
    }
}
