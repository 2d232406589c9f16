// SPDX-License-Identifier: Apache-2.0

/// One or more deliveries of an aspect, drawn in one place.
struct TimelineMark {
    /// The distance from the left edge of the plot, in pixels.
    let position: Double
    private(set) var events: Int
    private(set) var changes: Int
    /// The state of the last delivery.
    private(set) var state: Timeline.State

    /// The distance of marks that can be told apart.
    ///
    /// It limits the size of a picture, whatever the number of changes.
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
