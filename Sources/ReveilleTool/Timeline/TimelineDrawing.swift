// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole

/// The picture of a timeline as SVG: the phone above, the two subscribers below.
struct TimelineDrawing {
    /// The width of a README's column, so that text has its natural size there.
    static let width = 860.0
    static let left = 164.0
    static let right = 20.0
    /// The heights of a lane of the phone, and of a row of a subscriber.
    private static let lane = 44.0
    static let row = 24.0
    /// The largest number of aspects that are drawn; beyond it, a picture cannot be read.
    static let mostAspects = 24
    /// The width of a digit and of an average letter in the small font.
    static let digit = 7.5
    static let letter = 7.2

    /// The colors of lanes, which repeat; each lane also has its name.
    static let hues = 10
    /// The largest number of ticks whose texts have room beside each other.
    private static let mostTicks = 10.0

    let timeline: Timeline
    let aspects: [Aspect]
    var svg = SVGText()
    /// The upper and the lower edges of the parts with a time axis.
    var parts: [(top: Double, bottom: Double)] = []
    /// The upper edge of the next part.
    var y = 0.0

    private init(_ timeline: Timeline) {
        self.timeline = timeline
        aspects = Array(timeline.aspects.prefix(Self.mostAspects))
    }

    static func svg(_ timeline: Timeline) -> String {
        var drawing = TimelineDrawing(timeline)
        drawing.draw()
        let height = (drawing.y + 12).text()
        let root = SVGText.list([
            "xmlns": "http://www.w3.org/2000/svg", "width": "\(Int(width))", "height": height,
            "viewBox": "0 0 \(Int(width)) \(height)", "role": "img", "aria-labelledby": "title description",
        ])
        var (words, page) = (SVGText(), SVGText())
        words.element("title", ["id": "title"], text: timeline.title)
        words.element("desc", ["id": "description"], text: drawing.description)
        page.element("rect", ["class": "page", "width": "100%", "height": "100%", "rx": "8"])
        // It has no characters of markup; where its colors are text, their contrast is at least 4.5 to 1.
        let style = "<style>\n\(String(decoding: PackageResources.timeline_css, as: UTF8.self))</style>\n"
        return "<svg\(root)>\n" + words.text + style + page.text + drawing.svg.text + "</svg>\n"
    }

    private func total(_ deliveries: [Timeline.Delivery]) -> Int { deliveries.reduce(0) { $0 + $1.changes } }

    /// The content of the picture in words.
    private var description: String {
        let all = "\(Count.text(total(timeline.awake), "change")) of \(Count.text(timeline.aspects.count, "aspect"))."
        let lines = timeline.aspects.map { aspect in
            let events = timeline.asleep.filter { $0.aspect == aspect }
            return "\(aspect): \(Count.text(events.count, "event")) for \(Count.text(total(events), "change"))."
        }
        return "\(all) The subscriber that stays awake received \(Count.text(timeline.awake.count, "event")), "
            + "the one that sleeps \(timeline.asleep.count). \(lines.joined(separator: " "))"
    }

    func x(_ time: Double) -> Double {
        // The last event remains within the picture.
        let room = Self.width - Self.left - Self.right - 6
        return Self.left + (timeline.end > 0 ? min(1, time / timeline.end) * room : 0)
    }

    /// Where a sleep begins or ends.
    var edges: [Double] { timeline.sleeps.flatMap { [$0.start, $0.end] }.compactMap { $0.map(x) } }

    /// Writes a text where no edge of a sleep crosses it: in the first place with enough room, else truncated in the
    /// widest, if that has room for three letters.
    mutating func label(_ words: String, from start: Double, to end: Double, y: Double) {
        let gap = 4.0
        let between = edges.filter { $0 > start && $0 < end }.sorted()
        let places = zip([start] + between.map { $0 + gap }, between.map { $0 - gap } + [end])
        let rooms = places.map { (start: $0, letters: Int(($1 - $0) / Self.letter)) }
        guard
            let place = rooms.first(where: { $0.letters >= words.columns })
                ?? rooms.max(by: { $0.letters < $1.letters }),
            place.letters >= 3
        else { return }
        text(words.truncated(to: place.letters), x: place.start, y: y, "")
    }

    // MARK: - Parts

    private mutating func draw() {
        text(timeline.title, x: 20, y: 34, "title")
        y = 58
        heading("The phone", Count.text(total(timeline.awake), "change"))
        let top = y
        for (index, aspect) in aspects.enumerated() { drawLane(of: aspect, index) }
        parts.append((top, y - 2))
        drawAxis()
        heading("A subscriber that stays awake", "\(Count.text(timeline.awake.count, "event")): each change at once")
        drawRows(of: timeline.awake, sleeps: [])
        y += 16
        let asleep = timeline.asleep
        heading(
            "A subscriber that sleeps",
            "\(Count.text(asleep.count, "event")) for \(total(asleep) == total(timeline.awake) ? "the same " : "")\(Count.text(total(asleep), "change"))"
        )
        drawRows(of: asleep, sleeps: timeline.sleeps)
        drawEdges()
        let hidden = timeline.aspects.count - aspects.count
        if hidden > 0 {
            text("\(hidden) further aspects are not drawn.", x: 20, y: y + 18, "muted")
            y += 24
        }
    }

    mutating func text(_ text: String, x: Double, y: Double, _ style: String, anchor: String = "start") {
        svg.element(
            "text",
            ["class": style, "x": "\(svg: x)", "y": "\(svg: y)", "text-anchor": anchor], text: text)
    }

    private mutating func heading(_ title: String, _ remark: String) {
        text(title, x: 20, y: y + 14, "heading")
        text(remark, x: Self.width - Self.right, y: y + 14, "muted", anchor: "end")
        y += 26
    }

    mutating func rectangle(
        _ style: String, x: Double, y: Double, width: Double, height: Double, radius: Double = 2
    ) {
        svg.element(
            "rect",
            [
                "class": style, "x": "\(svg: x)", "y": "\(svg: y)", "width": "\(svg: max(0, width))",
                "height": "\(svg: height)", "rx": "\(svg: radius)",
            ])
    }

    mutating func drawName(of aspect: Aspect, height: Double, _ remark: String = "") {
        let room = Int((Self.left - 26) / Self.letter)
        let middle = y + height / 2 + 4.5
        text(aspect.name.truncated(to: room), x: 20, y: remark.isEmpty ? middle : middle - 8, "")
        if !remark.isEmpty { text(remark, x: 20, y: middle + 9, "muted") }
    }

    /// Draws the states of an aspect: a stepped line for numbers, otherwise segments with their texts.
    private mutating func drawLane(of aspect: Aspect, _ index: Int) {
        let color = index % Self.hues
        let (top, bottom) = (y + 4, y + Self.lane - 4)
        rectangle("lane", x: Self.left, y: y, width: Self.width - Self.left - Self.right, height: Self.lane - 2)
        let marks = TimelineMark.marks(of: timeline.awake.filter { $0.aspect == aspect }, at: x)
        var steps = marks.map { (x: $0.position, state: $0.state) }
        if let first = timeline.initial[aspect] { steps.insert((Self.left, first), at: 0) }
        if let number = ChartedNumber(aspect) {
            let known = steps.compactMap(\.state.number)
            let ends = [known.first, known.last].compactMap { $0.map(number.text) }
            drawName(of: aspect, height: Self.lane - 2, ends.joined(separator: " → "))
            drawLine(steps, color, from: top, to: bottom)
        } else {
            drawName(of: aspect, height: Self.lane - 2)
            let ends = steps.dropFirst().map(\.x) + [Self.width - Self.right]
            for (step, end) in zip(steps, ends) where !step.state.text.isEmpty {
                rectangle("segment f\(color)", x: step.x, y: top, width: end - step.x - 1, height: bottom - top)
                label(step.state.text, from: step.x + 5, to: end - 3, y: y + 25.5)
            }
        }
        y += Self.lane
    }

    private mutating func drawLine(
        _ steps: [(x: Double, state: Timeline.State)], _ color: Int, from top: Double, to bottom: Double
    ) {
        let known = steps.compactMap { step in step.state.number.map { (x: step.x, value: $0) } }
        guard let low = known.map(\.value).min(), let high = known.map(\.value).max() else { return }
        // The lowest number is above the floor of the lane, or an empty battery would have no area.
        let span = max(high - low, 1e-9)
        let height = { (value: Double) in bottom - 3 - (value - low) / span * (bottom - top - 3) }
        var path = ""
        for (index, point) in known.enumerated() {
            let level = height(point.value)
            path += index == 0 ? "M\(svg: point.x) \(svg: level)" : "H\(svg: point.x)V\(svg: level)"
        }
        path += "H\(svg: Self.width - Self.right)"
        svg.path("area f\(color)", path + "V\(svg: bottom)H\(svg: known[0].x)Z")
        svg.path("line s\(color)", path)
        for (before, step) in zip(steps, steps.dropFirst()) where step.state.isPlugged && !before.state.isPlugged {
            let words = "plugged in →"
            let start = step.x - Double(words.count) * Self.letter
            guard !edges.contains(where: { start...step.x ~= $0 }) else { continue }
            text(words, x: step.x, y: top + 11, "muted", anchor: "end")
        }
    }

    private mutating func drawAxis() {
        svg.path("grid", "M\(svg: Self.left) \(svg: y + 4)H\(svg: Self.width - Self.right)")
        for tick in Self.ticks(to: timeline.end) {
            let place = x(tick)
            svg.path("grid", "M\(svg: place) \(svg: y + 4)v5")
            text("\(tick.text(parts: 1_000)) s", x: place, y: y + 21, "muted", anchor: "middle")
        }
        y += 42
    }

    /// Returns the ticks from 0 to the end, whose distance is 1, 2 or 5 times a power of ten.
    private static func ticks(to end: Double) -> [Double] {
        var unit = 0.001
        while end / (unit * 5) > mostTicks { unit *= 10 }
        let step = unit * ([1, 2].first { end / (unit * $0) <= mostTicks } ?? 5)
        return (0...Int(mostTicks)).map { Double($0) * step }.filter { $0 <= end * (1 + 1e-9) }
    }
}
