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
            Draws the level of the battery, the brightness of the display, the light around the device, the power of \
            the battery, or a number of any other state or published value, from the changes in the log of the bus. \
            The number is unknown while the aspect was not watched; see 'reveille log --help'. If the output is not a \
            terminal, or one that is too narrow, prints a line with the time and the number of each change.

            EXAMPLES
              reveille plot battery
              reveille plot battery --since 2h
              reveille plot light --json
              reveille plot org.example.player volume
            """)

    /// The number of rows of a chart: enough for steps of one percent in the upper half of a terminal.
    private static let rows = 12
    private static let names = BuiltInAspect.allCases.filter { ChartedNumber(Aspect($0)) != nil }.map(\.rawValue)

    @Argument(
        help: "The aspect, or a published name.", completion: Aspect.completion, transform: Aspect.init(argument:))
    var aspect: Aspect

    @Argument(
        help: """
            The member of the state that is drawn, such as volume or track.length. Default: the number of \
            \(Suggestion.list(names)), or the only one.
            """, completion: ChartedNumber.completion)
    var member: String?

    @OptionGroup var period: PeriodOptions

    @Flag(help: "Print each change as a line of JSON, with changedAt and value.")
    var json = false

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if aspect.isPattern { throw ValidationError("\(aspect): a chart is of one aspect, not of a pattern") }
    }

    /// Returns the number to draw; the last value shows which members there are.
    private func number(in events: [Event]) throws(Failure) -> ChartedNumber? {
        guard let last = events.last(where: { $0.published?.isWithdrawn != true }) else { return ChartedNumber(aspect) }
        let members = ChartedNumber.members(of: last.reading)
        if let member {
            guard members.contains(member) else {
                let hint = members.isEmpty ? "" : "; it has \(Suggestion.list(members, "and"))"
                throw Failure(.usage, "\(aspect) has no number \(member)\(hint)")
            }
            return ChartedNumber(member: member)
        }
        if let number = ChartedNumber(aspect) { return number }
        guard members.count <= 1 else {
            throw Failure(.usage, "\(aspect) has several numbers; name one of them: \(Suggestion.list(members))")
        }
        guard let only = members.first else { throw Failure(.usage, "\(aspect) has no number to draw") }
        return ChartedNumber(member: only)
    }

    /// Returns the points of a chart, in which the number is unknown in gaps, and as before at their ends.
    static func points(of items: [BusHistory.Item], _ number: ChartedNumber) -> [PlotPoint] {
        var last: Double?
        return items.flatMap { item -> [PlotPoint] in
            switch item {
            case .change(let event):
                last = number.value(event.reading)
                return [PlotPoint(time: event.changedAt, value: last)]
            case .gap(_, let start, let end):
                let ends = end.map { [PlotPoint(time: $0, value: last, isEndOfGap: true)] } ?? []
                return [PlotPoint(time: start, value: nil, isEndOfGap: true)] + ends
            }
        }
    }

    func perform() throws {
        let client = try BlockingClient(bus.resolved())
        let history = BusHistory(try client.call(GetLog()), of: [aspect], allReadings: true)
        // Samples are not logged.
        let samples = try aspect.builtIn?.kind == .stream ? client.call(GetHistory(aspect)).events : []
        let items = history.items + samples.map { .change($0) }
        let number = try number(in: items.compactMap(\.event).filter { period.includes($0.changedAt) })
        let points = number.map { Self.points(of: items, $0) }?.filter { period.includes($0.time) } ?? []
        history.reportStart(since: period.since?.timestamp)
        if json { return try points.forEach { try Console.json($0.json) } }
        guard let number, points.contains(where: { $0.value != nil }) else {
            let time = period.since == nil ? "" : " since then"
            return Console.error("reveille: the bus has no values of \(aspect) to draw\(time)")
        }
        let chart = PlotChart(points, number: number)
        if Console.isTerminal, let lines = chart.lines(columns: Console.columns ?? 0, rows: Self.rows) {
            try Console.line(Style.bold("\(aspect)\(member.map { " \($0)" } ?? "")") + Style.dim("  \(chart.summary)"))
            for line in lines { try Console.line(line) }
        } else {
            for point in points {
                try Console.line(
                    "\(LocalTime.date(point.time)) \(LocalTime.time(point.time))  \(chart.text(of: point))")
            }
        }
    }
}
