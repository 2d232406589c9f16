// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole

extension TimelineDrawing {
    /// The width of a stroke with its gap.
    private static let stroke = 4.5

    mutating func drawRows(of deliveries: [Timeline.Delivery], sleeps: [(start: Double, end: Double?)]) {
        let (top, height) = (y, Self.row * Double(aspects.count))
        parts.append((top, top + height))
        rectangle("lane", x: Self.left, y: y, width: Self.width - Self.left - Self.right, height: height)
        for sleep in sleeps {
            let (start, end) = (x(sleep.start), x(sleep.end ?? timeline.end))
            rectangle("sleep", x: start, y: y, width: end - start, height: height)
            let words = "in the background: nothing is delivered"
            if end - start > Double(words.count) * Self.letter {
                text(words, x: (start + end) / 2, y: y + height / 2 + 4.5, "muted", anchor: "middle")
            }
        }
        for (index, aspect) in aspects.enumerated() {
            drawName(of: aspect, height: Self.row)
            drawMarks(
                of: deliveries.filter { $0.aspect == aspect }, "f\(index % Self.hues)",
                wakes: sleeps.compactMap { $0.end.map(x) })
            y += Self.row
        }
    }

    /// Draws a stroke for a change that was delivered at once, otherwise the number of merged changes.
    private mutating func drawMarks(of deliveries: [Timeline.Delivery], _ color: String, wakes: [Double]) {
        let marks = TimelineMark.marks(of: deliveries, at: x)
        let middle = y + Self.row / 2
        for (index, mark) in marks.enumerated() {
            // For checks of a picture.
            svg.element("metadata", ["data-events": "\(mark.events)", "data-changes": "\(mark.changes)"])
            let next = index + 1 < marks.count ? marks[index + 1].position : Self.width - Self.right
            guard mark.changes > mark.events || wakes.contains(mark.position) else {
                // Strokes of one moment stand beside each other.
                let count = min(mark.events, max(1, Int((next - mark.position) / Self.stroke)))
                for number in 0..<count {
                    let start = mark.position - 1.5 + Double(number) * Self.stroke
                    rectangle(color, x: start, y: middle - 7, width: 3, height: 14, radius: 1.5)
                }
                continue
            }
            let width = 12 + Self.digit * Double("\(mark.changes)".count)
            let start = min(mark.position + 3, Self.width - Self.right - width)
            rectangle(color, x: start, y: middle - 9, width: width, height: 18, radius: 9)
            text("\(mark.changes)", x: start + width / 2, y: middle + 4.5, "on", anchor: "middle")
            label(mark.state.text, from: start + width + 5, to: next - 5, y: middle + 4.5)
        }
    }

    /// Draws the start and the end of each sleep through all parts, and names them below.
    mutating func drawEdges() {
        for sleep in timeline.sleeps {
            for place in [sleep.start, sleep.end].compactMap({ $0.map(x) }) {
                for part in parts { svg.path("edge", "M\(svg: place) \(svg: part.top)V\(svg: part.bottom)") }
            }
        }
        guard let first = timeline.sleeps.first, timeline.sleeps.count == 1 else { return }
        text("goes to the background", x: x(first.start), y: y + 18, "muted", anchor: "middle")
        if let end = first.end {
            text("wakes: one event for each aspect", x: x(end), y: y + 18, "muted", anchor: "middle")
        }
        y += 24
    }
}

/// One or more deliveries of an aspect, drawn in one place.
struct TimelineMark {
    /// The distance from the left edge of the plot, in pixels.
    let position: Double
    private(set) var events: Int
    private(set) var changes: Int
    /// The state of the last delivery.
    private(set) var state: Timeline.State

    /// The distance of marks that can be told apart, which limits the size of a picture with any number of changes.
    static let distance = 2.0

    /// Returns the marks of deliveries, with close neighbors merged.
    static func marks(of deliveries: [Timeline.Delivery], at position: (Double) -> Double) -> [TimelineMark] {
        var marks: [TimelineMark] = []
        for delivery in deliveries {
            let place = position(delivery.time)
            if let last = marks.indices.last, place - marks[last].position < distance {
                marks[last].events += 1
                marks[last].changes += delivery.changes
                marks[last].state = delivery.state
            } else {
                marks.append(
                    TimelineMark(position: place, events: 1, changes: delivery.changes, state: delivery.state))
            }
        }
        return marks
    }
}
