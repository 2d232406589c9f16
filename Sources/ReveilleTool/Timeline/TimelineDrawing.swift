// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole

/// The picture of a timeline as SVG: the phone above, the two subscribers below.
///
/// A text stands at its time, and ends before the next edge of a sleep: shortened, or left out beside its mark.
struct TimelineDrawing {
    /// The width of a README's column, so that text has its natural size there.
    static let width = 860.0
    /// The left edges of names and of the plot, and the right edge of all.
    private static let margin = 20.0
    static let left = 164.0
    static let right = 840.0
    /// The width of the plot after the last step, with room for the number and the state of an event.
    private static let tail = 64.0
    /// The height of a row of a subscriber.
    static let row = 24.0
    /// The least distance between a text and its neighbors.
    static let gap = 4.0
    /// The largest number of aspects that are drawn; beyond it, a picture cannot be read.
    private static let mostAspects = 24
    /// The colors of lanes, which repeat; each lane also has its name.
    static let hues = 10
    /// The largest number of ticks whose texts have room beside each other.
    private static let mostTicks = 8.0

    let timeline: Timeline
    let aspects: [Aspect]
    var svg = SVGText()
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
        let room = Self.right - Self.left - Self.tail
        return Self.left + (timeline.end > 0 ? min(1, time / timeline.end) * room : 0)
    }

    /// Where sleeps begin or end, from left to right.
    var edges: [Double] { timeline.sleeps.flatMap { [$0.start, $0.end] }.compactMap { $0.map(x) } }

    /// The next edge of a sleep, or the end of the plot.
    func edge(after place: Double) -> Double { edges.first { $0 > place } ?? Self.right }

    // MARK: - Parts

    private mutating func draw() {
        text(timeline.title, x: Self.margin, y: 34, .title, to: Self.right)
        y = 58
        heading("The phone", Count.text(total(timeline.awake), "change"))
        let top = y
        for (index, aspect) in aspects.enumerated() { drawLane(of: aspect, index % Self.hues) }
        drawEdges(from: top)
        drawAxis()
        heading("A subscriber that stays awake", "\(Count.text(timeline.awake.count, "event")): each change at once")
        drawRows(of: timeline.awake, sleeps: [])
        y += 16
        let same = total(timeline.asleep) == total(timeline.awake) ? "the same " : ""
        heading(
            "A subscriber that sleeps",
            "\(Count.text(timeline.asleep.count, "event")) for \(same)\(Count.text(total(timeline.asleep), "change"))")
        drawRows(of: timeline.asleep, sleeps: timeline.sleeps.map { (x($0.start), $0.end.map(x)) })
        if edges.count == 2 {
            text("wakes: one event for each aspect", around: edges[1], from: Self.left, to: Self.right, y: y + 18)
            y += 24
        }
        let hidden = timeline.aspects.count - aspects.count
        if hidden > 0 {
            text("\(hidden) further aspects are not drawn.", x: Self.margin, y: y + 18, .muted, to: Self.right)
            y += 24
        }
    }

    private mutating func heading(_ title: String, _ remark: String) {
        text(title, x: Self.margin, y: y + 14, .heading, to: Self.right)
        text(remark, around: Self.right, from: Self.margin, to: Self.right, y: y + 14)
        y += 26
    }

    /// Writes a name to the left of the plot, and a remark below it.
    mutating func drawName(of aspect: Aspect, height: Double, _ remark: String = "") {
        let middle = y + height / 2 + 4.5
        text(aspect.name, x: Self.margin, y: remark.isEmpty ? middle : middle - 8, to: Self.left - Self.gap)
        text(remark, x: Self.margin, y: middle + 9, .muted, to: Self.left - Self.gap)
    }

    private mutating func drawAxis() {
        svg.path("grid", "M\(svg: Self.left) \(svg: y + 4)H\(svg: Self.right)")
        for tick in Self.ticks(to: timeline.end) {
            svg.path("grid", "M\(svg: x(tick)) \(svg: y + 4)v5")
            text("\(tick.text(parts: 1_000)) s", around: x(tick), from: 0, to: Self.width, y: y + 21)
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

    /// Draws the start and the end of each sleep through a part that ends here.
    mutating func drawEdges(from top: Double) {
        for edge in edges { svg.path("edge", "M\(svg: edge) \(svg: top)V\(svg: y)") }
    }

    /// Writes a text that ends at a limit at the latest.
    mutating func text(_ text: String, x: Double, y: Double, _ style: TextStyle = .plain, to limit: Double) {
        let text = style.fitted(text, to: limit - x)
        if text.isEmpty { return }
        svg.element("text", ["class": style.rawValue, "x": "\(svg: x)", "y": "\(svg: y)"], text: text)
    }

    /// Writes a remark whose middle is as near to a place as its limits allow.
    mutating func text(_ text: String, around place: Double, from start: Double, to end: Double, y: Double) {
        let width = TextStyle.muted.width(text)
        self.text(text, x: max(start, min(place - width / 2, end - width).rounded(.down)), y: y, .muted, to: end)
    }

    mutating func rectangle(_ style: String, x: Double, y: Double, to end: Double, height: Double, radius: Double = 2) {
        svg.element(
            "rect",
            [
                "class": style, "x": "\(svg: x)", "y": "\(svg: y)", "width": "\(svg: max(0, end - x))",
                "height": "\(svg: height)", "rx": "\(svg: radius)",
            ])
    }
}
