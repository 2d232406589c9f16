// SPDX-License-Identifier: Apache-2.0

extension TimelineDrawing {
    /// The width of a stroke with its gap.
    private static let stroke = 4.5

    /// Draws the deliveries to a subscriber that sleeps between some places; the last end may be missing.
    mutating func drawRows(of deliveries: [Timeline.Delivery], sleeps: [(start: Double, end: Double?)]) {
        let (top, height) = (y, Self.row * Double(aspects.count))
        rectangle("lane", x: Self.left, y: y, to: Self.right, height: height)
        for sleep in sleeps {
            let end = sleep.end ?? Self.right
            rectangle("sleep", x: sleep.start, y: y, to: end, height: height)
            let words = "in the background: nothing is delivered"
            if TextStyle.muted.width(words) < end - sleep.start - 2 * Self.gap {
                text(words, around: (sleep.start + end) / 2, from: sleep.start, to: end, y: y + height / 2 + 4.5)
            }
        }
        for (index, aspect) in aspects.enumerated() {
            drawName(of: aspect, height: Self.row)
            drawMarks(of: deliveries.filter { $0.aspect == aspect }, "f\(index % Self.hues)", sleeps)
            y += Self.row
        }
        drawEdges(from: top)
    }

    /// Draws a stroke for a change that was delivered at once, otherwise the number of merged changes with the state.
    ///
    /// A number without room is a long stroke.
    private mutating func drawMarks(
        of deliveries: [Timeline.Delivery], _ color: String, _ sleeps: [(start: Double, end: Double?)]
    ) {
        let marks = TimelineMark.marks(of: deliveries, at: x)
        let middle = y + Self.row / 2
        for (index, mark) in marks.enumerated() {
            // For checks of a picture.
            svg.element("metadata", ["data-events": "\(mark.events)", "data-changes": "\(mark.changes)"])
            let place = mark.position
            // A sleep may begin at the time of a delivery.
            let edge = sleeps.contains { $0.start == place && $0.end != place } ? place : edge(after: place)
            let end = min(edge, marks.dropFirst(index + 1).first?.position ?? edge)
            let isMerged = mark.changes > mark.events || sleeps.contains { $0.end == place }
            let width = 10 + TextStyle.number.width("\(mark.changes)")
            guard isMerged, place + 3 + width < end else {
                // Strokes of one moment stand beside each other.
                let count = isMerged ? 1 : min(mark.events, max(1, Int((end - place) / Self.stroke)))
                let length = isMerged ? 20.0 : 14
                for start in (0..<count).map({ place - 1.5 + Double($0) * Self.stroke }) {
                    rectangle(color, x: start, y: middle - length / 2, to: start + 3, height: length, radius: 1.5)
                }
                continue
            }
            rectangle(color, x: place + 3, y: middle - 9, to: place + 3 + width, height: 18, radius: 9)
            text("\(mark.changes)", x: place + 8, y: middle + 4.5, .number, to: end)
            text(mark.state.text, x: place + width + 8, y: middle + 4.5, to: end - Self.gap)
        }
    }
}

/// One or more deliveries of an aspect, drawn in one place.
struct TimelineMark {
    /// The distance from the left edge of the picture, in pixels.
    let position: Double
    private(set) var events: Int
    private(set) var changes: Int
    /// The state of the last delivery.
    private(set) var state: Timeline.State

    /// The distance of marks that can be told apart, which limits the size of a picture with any number of changes.
    private static let distance = 2.0

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
