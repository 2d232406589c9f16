// SPDX-License-Identifier: Apache-2.0

@testable import ReveilleTool

/// The elements of a timeline's picture as boxes, whose texts have the widths by which they were placed.
struct PictureBoxes {
    struct Box {
        let kind: Substring
        let x: ClosedRange<Double>
        let y: ClosedRange<Double>
        var text = ""

        func overlaps(_ other: Box) -> Bool {
            // What only touches does not overlap, nor do roundings.
            min(x.upperBound, other.x.upperBound) - max(x.lowerBound, other.x.lowerBound) > 0.2
                && min(y.upperBound, other.y.upperBound) - max(y.lowerBound, other.y.lowerBound) > 0.2
        }

        func contains(_ other: Box) -> Bool {
            x.lowerBound <= other.x.lowerBound && other.x.upperBound <= x.upperBound
                && y.lowerBound <= other.y.lowerBound && other.y.upperBound <= y.upperBound
        }
    }

    private(set) var texts: [Box] = []
    private var bands: [Box] = []
    private var edges: [Box] = []
    private let page: Box

    init(_ svg: String) {
        let height = svg.firstMatch(of: #/<svg[^>]* height="([0-9.]+)"/#).flatMap { Double($0.output.1) } ?? 0
        page = Box(kind: "page", x: 0...TimelineDrawing.width, y: 0...height)
        for element in svg.matches(of: #/<(text|rect|path) class="([^"]*)"([^>]*?)(?:/>|>([^<]*)</text>)/#) {
            let (kind, attributes) = (element.output.2, element.output.3)
            let values = attributes.matches(of: #/ ([a-z]+)="([-0-9.]+)"/#).map {
                ($0.output.1, Double($0.output.2) ?? 0)
            }
            let number = { (name: Substring) in values.first { $0.0 == name }?.1 ?? 0 }
            let (x, y) = (number("x"), number("y"))
            switch element.output.1 {
            case "text":
                guard let style = TextStyle(rawValue: String(kind)), let text = element.output.4.map(Self.plain) else {
                    continue
                }
                let size = style.size
                texts.append(
                    Box(
                        kind: kind, x: x...(x + style.width(text)), y: (y - 0.77 * size)...(y + 0.23 * size), text: text
                    ))
            case "rect" where kind != "page":
                bands.append(Box(kind: kind, x: x...(x + number("width")), y: y...(y + number("height"))))
            case "path" where kind == "edge":
                let line = attributes.matches(of: #/[0-9.]+/#).compactMap { Double($0.output) }
                if line.count == 3 { edges.append(Box(kind: kind, x: line[0]...line[0], y: line[1]...line[2])) }
            default: break
            }
        }
    }

    private static func plain(_ text: Substring) -> String {
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        return entities.reduce(String(text)) { text, entity in
            text.split(separator: entity.0, omittingEmptySubsequences: false).joined(separator: entity.1)
        }
    }

    /// What a reader would misunderstand, or could not read.
    var faults: [String] {
        var faults = texts.filter { !page.contains($0) }.map { "\($0.text) is cut" }
        for (index, text) in texts.enumerated() {
            for other in texts[..<index] where text.overlaps(other) { faults.append("\(text.text) over \(other.text)") }
            for edge in edges where edge.y.overlaps(text.y) && text.x.contains(edge.x.lowerBound) {
                faults.append("an edge crosses \(text.text)")
            }
            for band in bands where band.overlaps(text) {
                if !band.contains(text) { faults.append("\(text.text) crosses a \(band.kind)") }
                if band.kind == "sleep", text.kind != "muted" { faults.append("\(text.text) is in a sleep") }
                if band.kind.hasPrefix("segment"), text.x.lowerBound - band.x.lowerBound > 6 {
                    faults.append("\(text.text) is late")
                }
            }
        }
        for sleep in bands where sleep.kind == "sleep" {
            let inner = Box(kind: "sleep", x: sleep.x.inset(by: 2), y: sleep.y)
            for mark in bands where mark.kind.wholeMatch(of: #/f[0-9]+/#) != nil && mark.overlaps(inner) {
                faults.append("a delivery is in a sleep")
            }
        }
        return faults
    }
}

extension ClosedRange<Double> {
    fileprivate func inset(by length: Double) -> ClosedRange {
        upperBound - lowerBound > 2 * length ? lowerBound + length...upperBound - length : lowerBound...lowerBound
    }
}

extension TextStyle {
    fileprivate var size: Double {
        switch self {
        case .plain, .muted: 13
        case .number: 12
        case .heading: 15
        case .title: 19
        }
    }
}
