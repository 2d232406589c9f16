// SPDX-License-Identifier: Apache-2.0

import Reveille

extension TimelineDrawing {
    /// The height of a lane with its distance from the next.
    private static let lane = 44.0

    /// Draws the states of an aspect: a stepped line for numbers, otherwise segments with their texts.
    mutating func drawLane(of aspect: Aspect, _ color: Int) {
        let (top, bottom) = (y + 4, y + Self.lane - 4)
        rectangle("lane", x: Self.left, y: y, to: Self.right, height: Self.lane - 2)
        var steps = TimelineMark.marks(of: timeline.awake.filter { $0.aspect == aspect }, at: x)
        if let first = timeline.initial[aspect] {
            steps.insert(TimelineMark(position: Self.left, events: 0, changes: 0, state: first), at: 0)
        }
        if let number = ChartedNumber(aspect) {
            let known = steps.compactMap(\.state.number)
            let ends = [known.first, known.last].compactMap { $0.map(number.text) }
            let words = ends.first == ends.last ? ends.first : ends.joined(separator: " → ")
            drawName(of: aspect, height: Self.lane - 2, words ?? "")
            drawLine(steps, color, from: top, to: bottom)
        } else {
            drawName(of: aspect, height: Self.lane - 2)
            for (step, end) in zip(steps, Self.ends(of: steps)) where !step.state.text.isEmpty {
                rectangle("segment f\(color)", x: step.position, y: top, to: end - 1, height: bottom - top)
                label(step.state.text, of: step, to: end, y: y + 25.5)
            }
        }
        y += Self.lane
    }

    private static func ends(of steps: [TimelineMark]) -> [Double] { steps.dropFirst().map(\.position) + [right] }

    /// Writes a text at its time: up to the next edge of a sleep, or to a limit before it.
    private mutating func label(_ words: String, of step: TimelineMark, to limit: Double, y: Double) {
        text(words, x: step.position + 5, y: y, to: min(limit, edge(after: step.position)) - Self.gap)
    }

    private mutating func drawLine(_ steps: [TimelineMark], _ color: Int, from top: Double, to bottom: Double) {
        let known = steps.compactMap { step in step.state.number.map { (x: step.position, value: $0) } }
        guard let low = known.map(\.value).min(), let high = known.map(\.value).max() else { return }
        // The lowest number is above the floor of the lane, or an empty battery would have no area.
        let span = max(high - low, 1e-9)
        let height = { (value: Double) in bottom - 3 - (value - low) / span * (bottom - top - 3) }
        let start = "M\(svg: known[0].x) \(svg: height(known[0].value))"
        let path = known.reduce(start) { $0 + "H\(svg: $1.x)V\(svg: height($1.value))" } + "H\(svg: Self.right)"
        svg.path("area f\(color)", path + "V\(svg: bottom)H\(svg: known[0].x)Z")
        svg.path("line s\(color)", path)
        let plugs = zip(steps, steps.dropFirst()).filter { $0.state.isPlugged != $1.state.isPlugged }.map(\.1)
        for (plug, end) in zip(plugs, Self.ends(of: plugs)) {
            // On the side of the line that has more room.
            let isHigh = plug.state.number.map { height($0) < (top + bottom) / 2 } ?? false
            let base = isHigh ? bottom - 3 : top + 11
            let (start, turn) = plug.state.isPlugged ? (base, -8.0) : (base - 8, 8.0)
            svg.path("f\(color)", "M\(svg: plug.position - 3.5) \(svg: start)h7l-3.5 \(svg: turn)Z")
            label(plug.state.isPlugged ? "plugged in" : "unplugged", of: plug, to: end, y: base)
        }
    }
}
