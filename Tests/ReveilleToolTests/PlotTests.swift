// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import Testing

@testable import ReveilleTool

@Suite struct PlotTests {
    private static func chart(_ values: [Double?], of aspect: Aspect = .battery) throws -> PlotChart {
        let points = values.enumerated().map {
            PlotPoint(time: Timestamp(microseconds: Int64($0.offset) * 60_000_000), value: $0.element)
        }
        return PlotChart(points, number: try #require(ChartedNumber(aspect)))
    }

    @Test func chartHasAxesAndTheCurve() throws {
        let lines = try #require(try Self.chart([80, 79, 78]).lines(columns: 30, rows: 3)).map(\.rendered)
        #expect(lines.count == 5 && lines[1].hasPrefix("79% ┤"), "\(lines)")
        // The curve is at the top on the left and at the bottom on the right.
        #expect(lines[0].dropFirst(5).first == "⠉" && lines[2].last == "⢸", "\(lines)")
        #expect(lines[0].hasPrefix("80% ┤") && lines[2].hasPrefix("78% ┤"))
        #expect(lines[3].hasPrefix("    └──"))
    }

    @Test(arguments: [[], [50], [50, 50], [nil, 50, nil], [.infinity, -.infinity, .nan, 1]] as [[Double?]])
    func unusualNumbersAreDrawn(values: [Double?]) throws {
        for columns in [0, 10, 40, 300] {
            let lines = try Self.chart(values).lines(columns: columns, rows: 8)
            for line in lines ?? [] { #expect(line.width < max(columns, 1)) }
        }
        let huge = [-Double.greatestFiniteMagnitude, .greatestFiniteMagnitude].enumerated().map {
            PlotPoint(time: Timestamp(microseconds: Int64($0.offset)), value: $0.element)
        }
        #expect(PlotChart(huge, number: ChartedNumber(member: "n")).lines(columns: 700, rows: 4) != nil)
        let light = try Self.chart([-.greatestFiniteMagnitude, .greatestFiniteMagnitude], of: .light)
        #expect(light.lines(columns: 700, rows: 4) != nil)
    }

    @Test(
        "the ends and the middle of an axis are round numbers",
        arguments: [
            (79.0, 85.0, "battery", [75.0, 80, 85]), (0, 100, "battery", [0, 50, 100]),
            (50, 50, "battery", [50, 51, 52]),
            (99, 100, "battery", [99, 99.5, 100]), (3, 900, "light", [1, 100, 10_000]),
            (0, 0.5, "light", [1, 10, 100]),
            (20, 30_000, "light", [10, 1_000, 100_000]), (-0.3, 0.4, "n", [-0.5, 0, 0.5]), (1, 12, "n", [0, 10, 20]),
        ])
    func axisIsRound(least: Double, most: Double, name: String, ticks: [Double]) throws {
        let number = name == "n" ? ChartedNumber(member: "n") : try #require(Aspect(name).flatMap(ChartedNumber.init))
        let axis = PlotAxis(from: least, to: most, of: number)
        #expect([axis.low, axis.middle, axis.high] == ticks)
    }

    @Test func narrowTerminalHasNoChart() throws {
        #expect(try Self.chart([80, 20]).lines(columns: 20, rows: 8) == nil)
    }
}
