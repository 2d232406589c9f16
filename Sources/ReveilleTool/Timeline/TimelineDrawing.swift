// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille

/// The picture of a timeline as SVG: the phone above, the two subscribers below.
struct TimelineDrawing {
    /// The width of a README's column, so that text has its natural size there.
    private static let width = 860.0
    private static let left = 150.0
    private static let right = 20.0
    /// The heights of a lane of the phone, and of a row of a subscriber.
    private static let lane = 40.0
    private static let row = 24.0
    /// The largest number of aspects that are drawn; beyond it, a picture cannot be read.
    static let mostAspects = 24
    /// The width of a digit and of an average letter in the small font.
    private static let digit = 7.5
    private static let letter = 7.2

    private let timeline: Timeline
    private let aspects: [Aspect]
    private var svg = SVGText()
    /// The upper edge of the next part.
    private var y = 0.0

    private init(_ timeline: Timeline) {
        self.timeline = timeline
        aspects = Array(timeline.aspects.prefix(Self.mostAspects))
    }

    /// Returns the picture.
    static func svg(_ timeline: Timeline) -> String {
        var drawing = TimelineDrawing(timeline)
        drawing.draw()
        let height = SVGText.number(drawing.y + 12)
        var picture = SVGText()
        picture.element(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "width": "\(Int(width))", "height": height,
                "viewBox": "0 0 \(Int(width)) \(height)", "role": "img", "aria-labelledby": "title description",
            ]
        ) { picture in
            picture.element("title", ["id": "title"], text: timeline.title)
            picture.element("desc", ["id": "description"], text: drawing.description)
            picture.element("style", [:], text: "")
            picture.element("rect", ["class": "page", "width": "100%", "height": "100%", "rx": "8"])
        }
        // The style sheet has no characters of markup.
        return picture.text.replacing("<style></style>", with: "<style>\n\(TimelineStyle.sheet)</style>")
            .replacing("</svg>", with: drawing.svg.text + "</svg>")
    }

    private func total(_ deliveries: [Timeline.Delivery]) -> Int { deliveries.reduce(0) { $0 + $1.changes } }

    /// The content of the picture in words.
    private var description: String {
        let all = "\(total(timeline.awake)) changes of \(timeline.aspects.count) aspects."
        let lines = timeline.aspects.map { aspect in
            let events = timeline.asleep.filter { $0.aspect == aspect }
            return "\(aspect): \(events.count) events for \(total(events)) changes."
        }
        return "\(all) The subscriber that stays awake received \(timeline.awake.count) events, the one that sleeps "
            + "\(timeline.asleep.count). \(lines.joined(separator: " "))"
    }

    private func x(_ time: Double) -> Double {
        let room = Self.width - Self.left - Self.right
        return Self.left + (timeline.end > 0 ? min(1, time / timeline.end) * room : 0)
    }

    // MARK: - Parts

    private mutating func draw() {
        text(timeline.title, x: 20, y: 34, "title")
        y = 58
        heading("The phone", "\(total(timeline.awake)) changes")
        for (index, aspect) in aspects.enumerated() { drawLane(of: aspect, index) }
        drawAxis()
        heading("A subscriber that stays awake", "\(count(timeline.awake, "event")): each change at once")
        for (index, aspect) in aspects.enumerated() { drawRow(of: timeline.awake, aspect, index) }
        y += 18
        let asleep = timeline.asleep
        heading(
            "A subscriber that sleeps",
            "\(count(asleep, "event")) for \(total(asleep) == total(timeline.awake) ? "the same " : "")\(total(asleep)) changes"
        )
        drawSleep()
        for (index, aspect) in aspects.enumerated() { drawRow(of: asleep, aspect, index) }
        drawEdges()
        let hidden = timeline.aspects.count - aspects.count
        if hidden > 0 {
            text("\(hidden) further aspects are not drawn.", x: 20, y: y + 18, "muted")
            y += 24
        }
    }

    private func count(_ deliveries: [Timeline.Delivery], _ noun: String) -> String {
        "\(deliveries.count) \(noun)\(deliveries.count == 1 ? "" : "s")"
    }

    private mutating func text(_ text: String, x: Double, y: Double, _ style: String, anchor: String = "start") {
        svg.element(
            "text",
            ["class": style, "x": SVGText.number(x), "y": SVGText.number(y), "text-anchor": anchor], text: text)
    }

    private mutating func heading(_ title: String, _ remark: String) {
        text(title, x: 20, y: y + 14, "heading")
        text(remark, x: Self.width - Self.right, y: y + 14, "muted", anchor: "end")
        y += 26
    }

    private mutating func rectangle(
        _ style: String, x: Double, y: Double, width: Double, height: Double, radius: Double = 2
    ) {
        svg.element(
            "rect",
            [
                "class": style, "x": SVGText.number(x), "y": SVGText.number(y), "width": SVGText.number(max(0, width)),
                "height": SVGText.number(height), "rx": SVGText.number(radius),
            ])
    }

    private mutating func drawName(of aspect: Aspect, height: Double) {
        let room = Int((Self.left - 30) / Self.letter)
        text(aspect.name.truncated(to: room), x: 20, y: y + height / 2 + 4.5, "")
    }

    /// Draws the states of an aspect: a stepped line for numbers, otherwise segments with their texts.
    private mutating func drawLane(of aspect: Aspect, _ index: Int) {
        let color = index % TimelineStyle.hues
        let (top, bottom) = (y + 4, y + Self.lane - 4)
        rectangle("lane", x: Self.left, y: y, width: Self.width - Self.left - Self.right, height: Self.lane - 2)
        drawName(of: aspect, height: Self.lane)
        let marks = TimelineMark.marks(of: timeline.awake.filter { $0.aspect == aspect }, at: x)
        var steps = marks.map { (x: $0.position, state: $0.state) }
        if let first = timeline.initial[aspect] { steps.insert((Self.left, first), at: 0) }
        if let number = ChartedNumber(aspect) {
            drawLine(steps, number, color, from: top, to: bottom)
        } else {
            let ends = steps.dropFirst().map(\.x) + [Self.width - Self.right]
            for (step, end) in zip(steps, ends) {
                rectangle("segment f\(color)", x: step.x, y: top, width: end - step.x - 1, height: bottom - top)
                let room = Int((end - step.x - 8) / Self.letter)
                if room >= 3 { text(step.state.text.truncated(to: room), x: step.x + 5, y: y + 23.5, "") }
            }
        }
        y += Self.lane
    }

    private mutating func drawLine(
        _ steps: [(x: Double, state: Timeline.State)], _ number: ChartedNumber, _ color: Int, from top: Double,
        to bottom: Double
    ) {
        let known = steps.compactMap { step in step.state.number.map { (x: step.x, value: $0) } }
        guard let low = known.map(\.value).min(), let high = known.map(\.value).max(), let last = known.last else {
            return
        }
        // The lowest number is above the floor of the lane, or an empty battery would have no area.
        let span = max(high - low, 1e-9)
        let height = { (value: Double) in bottom - 3 - (value - low) / span * (bottom - top - 3) }
        var path = ""
        for (index, point) in known.enumerated() {
            let level = SVGText.number(height(point.value))
            path += index == 0 ? "M\(SVGText.number(point.x)) \(level)" : "H\(SVGText.number(point.x))V\(level)"
        }
        path += "H\(SVGText.number(Self.width - Self.right))"
        svg.element(
            "path",
            [
                "class": "area f\(color)",
                "d": path + "V\(SVGText.number(bottom))H\(SVGText.number(known[0].x))Z",
            ])
        svg.element("path", ["class": "line s\(color)", "d": path])
        // The text is where the line is not: at its highest for a number that falls, at its lowest for one that rises.
        let falls = known[0].value > last.value
        text(number.text(known[0].value), x: Self.left + 5, y: falls ? bottom - 4 : top + 12, "")
        text(
            number.text(last.value), x: Self.width - Self.right - 5, y: falls ? top + 12 : bottom - 4, "",
            anchor: "end")
        drawPlugged(steps, y: bottom - 4)
    }

    /// Writes where the charger is plugged in.
    private mutating func drawPlugged(_ steps: [(x: Double, state: Timeline.State)], y: Double) {
        for (before, step) in zip(steps, steps.dropFirst()) where step.state.isPlugged && !before.state.isPlugged {
            text("plugged in", x: step.x + 5, y: y, "muted")
        }
    }

    private mutating func drawAxis() {
        let step = TimelineAxis.step(for: timeline.end)
        svg.element(
            "path",
            [
                "class": "grid",
                "d": "M\(SVGText.number(Self.left)) \(SVGText.number(y + 4))H\(SVGText.number(Self.width - Self.right))",
            ])
        for tick in TimelineAxis.ticks(to: timeline.end, step: step) {
            let place = x(tick)
            svg.element(
                "path", ["class": "grid", "d": "M\(SVGText.number(place)) \(SVGText.number(y + 4))v5"])
            text("\(TimelineAxis.text(tick)) s", x: place, y: y + 21, "muted", anchor: "middle")
        }
        y += 42
    }

    /// Draws the deliveries of an aspect: a stroke for one change, otherwise the number of merged changes.
    private mutating func drawRow(of deliveries: [Timeline.Delivery], _ aspect: Aspect, _ index: Int) {
        drawName(of: aspect, height: Self.row)
        let color = index % TimelineStyle.hues
        let marks = TimelineMark.marks(of: deliveries.filter { $0.aspect == aspect }, at: x)
        for (index, mark) in marks.enumerated() {
            let middle = y + Self.row / 2
            svg.element(
                "g", ["class": "mark", "data-events": "\(mark.events)", "data-changes": "\(mark.changes)"]
            ) { _ in }
            guard mark.changes > mark.events else {
                rectangle("f\(color)", x: mark.position - 1.5, y: middle - 7, width: 3, height: 14, radius: 1.5)
                continue
            }
            let width = 12 + Self.digit * Double("\(mark.changes)".count)
            let start = min(mark.position, Self.width - Self.right - width)
            rectangle("f\(color)", x: start, y: middle - 9, width: width, height: 18, radius: 9)
            text("\(mark.changes)", x: start + width / 2, y: middle + 4.5, "on", anchor: "middle")
            let next = index + 1 < marks.count ? marks[index + 1].position : Self.width - Self.right
            let room = Int((next - start - width - 12) / Self.letter)
            if room >= 3 {
                text(mark.state.text.truncated(to: room), x: start + width + 6, y: middle + 4.5, "")
            }
        }
        y += Self.row
    }

    private mutating func drawSleep() {
        let height = Self.row * Double(aspects.count)
        for sleep in timeline.sleeps {
            let (start, end) = (x(sleep.start), x(sleep.end ?? timeline.end))
            rectangle("sleep", x: start, y: y, width: end - start, height: height, radius: 4)
            let words = "in the background: nothing is delivered"
            if end - start > Double(words.count) * Self.letter {
                text(words, x: (start + end) / 2, y: y + height / 2 + 4.5, "muted", anchor: "middle")
            }
        }
    }

    /// Draws the start and the end of each sleep through the whole picture.
    private mutating func drawEdges() {
        for place in timeline.sleeps.flatMap({ [$0.start, $0.end].compactMap(\.self) }) {
            svg.element(
                "path", ["class": "edge", "d": "M\(SVGText.number(x(place))) 80V\(SVGText.number(y))"])
        }
    }
}
