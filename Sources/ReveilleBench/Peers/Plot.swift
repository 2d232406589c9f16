// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A line chart as an SVG file that is readable on a light and on a dark page.
struct Plot {
    /// The division of both axes.
    enum Scale { case linear, logarithmic }

    let title: String
    let x: String
    let y: String
    let scale: Scale
    let series: [(name: String, points: [(x: Double, y: Double)])]

    private static let (width, height) = (720.0, 400.0)
    private static let area = (left: 70.0, right: 570.0, top: 40.0, bottom: 350.0)
    /// Colors that people with color blindness can distinguish (Okabe and Ito).
    private static let colors = ["#888888", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]

    /// Writes the chart to a file.
    func write(to path: String) throws {
        guard let file = fopen(path, "w") else { throw BenchError("cannot write \(path)") }
        defer { fclose(file) }
        fputs(svg, file)
    }

    private var svg: String {
        let points = series.flatMap(\.points)
        let xTicks = Self.ticks(points.map(\.x), scale)
        let yTicks = Self.ticks(points.map(\.y), scale)
        let place = { (point: (x: Double, y: Double)) -> (x: Double, y: Double) in
            let area = Self.area
            return (
                area.left + (area.right - area.left) * Self.share(point.x, xTicks, scale),
                area.bottom - (area.bottom - area.top) * Self.share(point.y, yTicks, scale)
            )
        }
        var lines: [String] = []
        for tick in xTicks {
            let at = place((tick, yTicks[0])).x
            lines.append(Self.line((at, Self.area.top), (at, Self.area.bottom)))
            lines.append(Self.text(Self.label(tick), at, Self.area.bottom + 18, anchor: "middle"))
        }
        for tick in yTicks {
            let at = place((xTicks[0], tick)).y
            lines.append(Self.line((Self.area.left, at), (Self.area.right, at)))
            lines.append(Self.text(Self.label(tick), Self.area.left - 8, at + 4, anchor: "end"))
        }
        for (index, entry) in series.enumerated() {
            let color = Self.colors[index % Self.colors.count]
            let path = entry.points.map(place).map { "\($0.x.rounded(to: 1)),\($0.y.rounded(to: 1))" }
            lines.append(
                #"<polyline fill="none" stroke="\#(color)" stroke-width="2" points="\#(path.joined(separator: " "))"/>"#
            )
            let at = Self.area.top + 20 + Double(index) * 22
            lines.append(#"<rect x="585" y="\#((at - 9).rounded(to: 0))" width="12" height="4" fill="\#(color)"/>"#)
            lines.append(Self.text(entry.name, 604, at - 2, anchor: "start"))
        }
        lines.append(Self.text(title, Self.width / 2, 22, anchor: "middle"))
        lines.append(Self.text(x, (Self.area.left + Self.area.right) / 2, Self.height - 10, anchor: "middle"))
        lines.append(
            #"<g transform="translate(16 195) rotate(-90)">"# + Self.text(y, 0, 0, anchor: "middle") + "</g>")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" \
            font-family="sans-serif" font-size="13" fill="#808080">
            \(lines.joined(separator: "\n"))
            </svg>

            """
    }

    /// Returns the values of the axis's lines, the first and the last around all values.
    private static func ticks(_ values: [Double], _ scale: Scale) -> [Double] {
        let most = values.max() ?? 1
        switch scale {
        case .logarithmic:
            let least = max(values.min() ?? 1, 0.01)
            let powers = Int(log10(least).rounded(.down))...max(Int(log10(least)) + 1, Int(log10(most).rounded(.up)))
            return powers.map { pow(10, Double($0)) }
        case .linear:
            let power = pow(10, log10(max(most, 1)).rounded(.down))
            let step = [0.2, 0.5, 1, 2].map { $0 * power }.first { $0 * 6 >= most } ?? power
            return (0...Int((most / step).rounded(.up))).map { Double($0) * step }
        }
    }

    /// Returns the place of a value between the first and the last line, from 0 to 1.
    private static func share(_ value: Double, _ ticks: [Double], _ scale: Scale) -> Double {
        let map = { (value: Double) in scale == .linear ? value : log10(max(value, 0.01)) }
        let (first, last) = (map(ticks[0]), map(ticks[ticks.count - 1]))
        return (map(value) - first) / max(last - first, .leastNonzeroMagnitude)
    }

    private static func label(_ value: Double) -> String {
        value >= 1 || value == 0 ? value.rounded(to: 0) : value.rounded(to: 2)
    }

    private static func line(_ from: (Double, Double), _ to: (Double, Double)) -> String {
        let part = [from.0, from.1, to.0, to.1].map { $0.rounded(to: 1) }
        return
            ##"<path d="M\##(part[0]) \##(part[1])L\##(part[2]) \##(part[3])" stroke="#808080" stroke-opacity="0.3"/>"##
    }

    private static func text(_ text: String, _ x: Double, _ y: Double, anchor: String) -> String {
        #"<text x="\#(x.rounded(to: 1))" y="\#(y.rounded(to: 1))" text-anchor="\#(anchor)">\#(text)</text>"#
    }
}
