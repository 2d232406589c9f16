// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import Varlink

/// A number at a time; `nil` if it was unknown from then on.
struct PlotPoint: Equatable {
    let time: Timestamp
    let value: Double?
    /// Whether it only begins or ends a gap, in which the number is unknown.
    var isEndOfGap = false

    var json: JSON {
        .object(["changedAt": .integer(time.microseconds), "value": value.map { .number($0) } ?? .null])
    }
}

/// A chart of numbers over time, in which each number lasts until the next.
struct PlotChart {
    /// The least width of the curve in columns; on narrower terminals a list shows more.
    private static let narrowestCurve = 16
    private static let gap = 1

    private let points: [PlotPoint]
    private let number: ChartedNumber
    private let axis: PlotAxis

    /// Creates a chart of points in order of time.
    init(_ points: [PlotPoint], number: ChartedNumber) {
        self.points = points.map { point in
            let value = point.value.flatMap { $0.isFinite ? $0 : nil }
            return PlotPoint(time: point.time, value: value, isEndOfGap: point.isEndOfGap)
        }
        self.number = number
        let values = self.points.compactMap(\.value)
        axis = PlotAxis(from: values.min() ?? 0, to: values.max() ?? 0, of: number)
    }

    var summary: String {
        let values = points.compactMap(\.value)
        guard let first = values.first, let last = values.last, let least = values.min(), let most = values.max() else {
            return "no number is known"
        }
        let changes = Count.text(points.count { !$0.isEndOfGap }, "change")
        return "\(number.text(first)) → \(number.text(last)), \(changes), from \(number.text(least)) to "
            + number.text(most)
    }

    /// Returns the number at a point with all its digits, for a reader that calculates with it.
    func text(of point: PlotPoint) -> String { point.value.map { number.rounded($0, to: 1e9) } ?? "unknown" }

    /// Returns the lines of the chart with its axes; `nil` if the width does not suffice.
    func lines(columns: Int, rows: Int) -> [StyledText]? {
        guard rows >= 2, let first = points.first?.time, let last = points.last?.time else { return nil }
        let labels = [
            0: number.text(axis.high), rows / 2: number.text(axis.middle), rows - 1: number.text(axis.low),
        ]
        let margin = (labels.values.map(\.columns).max() ?? 0) + Self.gap
        // One column for the axis, and the last one empty, because some terminals wrap as soon as it is written.
        let width = columns - margin - 2
        guard width >= Self.narrowestCurve else { return nil }
        let curve = canvas(columns: width, rows: rows, from: first, to: last).lines
        var lines = curve.indices.map { row in
            let label = labels[row] ?? ""
            let space = String(repeating: " ", count: max(0, margin - Self.gap - label.columns))
            let axis = Style.dim(StyledText(space + label + (labels[row] == nil ? " │" : " ┤")))
            return axis + Style.cyan(StyledText(curve[row]))
        }
        let space = String(repeating: " ", count: margin)
        lines.append(Style.dim(StyledText(space + "└" + String(repeating: "─", count: width))))
        let (start, end) = (Self.text(first, beside: last), Self.text(last, beside: first))
        let between = width + 1 - start.columns - end.columns
        let times = between > 0 ? start + String(repeating: " ", count: between) + end : start
        lines.append(Style.dim(StyledText(space + times.truncated(to: width + 1))))
        return lines
    }

    /// Returns a time, with its date if the other time is on another day.
    private static func text(_ time: Timestamp, beside other: Timestamp) -> String {
        let day = LocalTime.date(time)
        return day == LocalTime.date(other) ? LocalTime.time(time) : "\(day) \(LocalTime.time(time))"
    }

    private func canvas(columns: Int, rows: Int, from first: Timestamp, to last: Timestamp) -> BrailleCanvas {
        var canvas = BrailleCanvas(columns: columns, rows: rows)
        let across = columns * BrailleCanvas.dots.across
        let top = rows * BrailleCanvas.dots.down - 1
        let span = Double(last.microseconds) - Double(first.microseconds)
        var next = 0
        var before: Int?
        for x in 0..<across {
            // The end of the dot's time. All numbers within it are joined by one vertical line.
            let end = Double(first.microseconds) + span * Double(x) / Double(max(1, across - 1))
            var heights = before.map { [$0] } ?? []
            while next < points.count, Double(points[next].time.microseconds) <= end || x == across - 1 {
                before = points[next].value.map { axis.height(of: $0, top: top) }
                if let before { heights.append(before) }
                next += 1
            }
            if let least = heights.min(), let most = heights.max() {
                for y in least...most { canvas.set(x, y) }
            }
        }
        return canvas
    }
}
