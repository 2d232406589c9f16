// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire

/// The history of some aspects in the log of a bus, in its order.
struct BusHistory {
    enum Item: Equatable {
        case change(Event)
        /// An aspect was not watched, or the bus did not run; without an end, until now.
        case gap(Aspect?, from: Timestamp, until: Timestamp?)
    }

    /// The shortest time that counts as a gap: restarts, and programs that come right back, are shorter.
    private static let shortestGap: Duration = .seconds(60)

    private(set) var items: [Item] = []
    /// The start of the known history.
    private(set) var start: Timestamp?
    private let aspects: [Aspect]
    private var readings: [Aspect: Reading] = [:]
    private var watched: Set<Aspect> = []
    /// The aspects that are not watched any more, since when; `nil` for a bus that has ended.
    private var ends: [Aspect?: Timestamp] = [:]

    /// Reads a log, without aspects and patterns about all of them.
    ///
    /// Of first readings, it takes those that are new, or all.
    init(_ log: [LogLine], of aspects: [Aspect], allReadings: Bool = false) {
        self.aspects = aspects
        let isAlwaysWatched = aspects.count != 1 || aspects.first?.builtIn?.isWatchedOnDemand != true
        var last: Timestamp?
        for line in log {
            defer { last = line.time }
            guard line.aspect.map({ shows($0) }) ?? true else { continue }
            if start == nil, line.aspect != nil || isAlwaysWatched { start = line.time }
            switch line {
            case .change(let event):
                let before = readings.updateValue(event.reading, forKey: event.aspect)
                let isNew = event.changeCount > 0 || before != nil && before != event.reading
                if isNew || allReadings { items.append(.change(event)) }
            case .watching(nil, true, let time):
                // A bus that was killed has known nothing since its last line.
                let end = ends[nil] ?? last
                ends[nil] = end
                close(nil, at: time)
                // The gap of the bus covers its watched aspects, whose own gaps begin here.
                for aspect in watched.union(ends.filter { $0.value == end }.compactMap(\.key)) { ends[aspect] = time }
                watched = []
            case .watching(let aspect, true, let time):
                close(aspect, at: time)
                if let aspect { watched.insert(aspect) }
            case .watching(let aspect, false, let time):
                ends[aspect] = time
                if let aspect { watched.remove(aspect) }
            }
        }
        // A bus that answers runs.
        ends[nil] = nil
        for (aspect, _) in ends.sorted(by: { $0.value < $1.value }) { close(aspect, at: nil) }
    }

    private func shows(_ aspect: Aspect) -> Bool {
        aspects.isEmpty || aspects.contains { $0 == aspect || $0.matches(aspect) }
    }

    private mutating func close(_ aspect: Aspect?, at time: Timestamp?) {
        guard let start = ends.removeValue(forKey: aspect) else { return }
        if let time, start + Self.shortestGap > time { return }
        // A gap of an aspect without a value is not worth a line, unless the user names the aspect.
        if let aspect, aspects.isEmpty, readings[aspect] ?? .unknown(aspect) == .unknown(aspect) { return }
        items.append(.gap(aspect, from: start, until: time))
    }

    /// Reports the start of the log, if it is later than requested.
    func reportStart(since wanted: Timestamp?) {
        guard aspects.count < 2 else { return }
        if let start {
            guard wanted.map({ $0 < start }) ?? true else { return }
            let what = aspects.first.map { " of \($0)" } ?? ""
            Console.error("reveille: the log\(what) begins at \(LocalTime.date(start)) \(LocalTime.time(start))")
        } else if let aspect = aspects.first, aspect.builtIn?.isWatchedOnDemand == true {
            Console.error("reveille: \(aspect) was never watched; 'watch' in the configuration lets the bus watch it")
        }
    }
}

extension BusHistory.Item {
    var time: Timestamp {
        switch self {
        case .change(let event): event.changedAt
        case .gap(_, let start, let end): end ?? start
        }
    }

    var event: Event? { if case .change(let event) = self { event } else { nil } }

    /// The line of the log, with its state at a column.
    func line(column: Int) -> StyledText {
        switch self {
        case .change(let event):
            return EventText.time(of: event, withDate: true) + EventText.line(event, column: column)
        case .gap(let aspect, let start, let end):
            let name = aspect.map { Style.bold("\($0)").padded(to: column) } ?? ""
            let what = aspect == nil ? "the bus did not run" : "not watched"
            let day = end.map { LocalTime.date($0) == LocalTime.date(start) } == true ? "" : LocalTime.date(start) + " "
            let period = end == nil ? "since then" : "since \(day)\(LocalTime.time(start))"
            let time = LocalTime.date(self.time) + " " + LocalTime.time(self.time)
            return Style.dim(StyledText(time)).padded(to: 21) + name + Style.dim(StyledText("\(what) \(period)"))
        }
    }
}
