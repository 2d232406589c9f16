// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleTesting
import Testing

@testable import ReveilleTool

@Suite(.blocking, .timeLimit(.minutes(5))) struct PlotTests {
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

    @Test func listIsPrintedWithoutATerminal() throws {
        let bus = try BusProcess()
        for level in [50, 49] { #expect(try bus.run(["post", "battery", #"{"level":0.\#(level)}"#]).code == 0) }
        let run = try bus.run(["plot", "battery"])
        #expect(run.code == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.map { $0.dropFirst("2026-11-22 20:00:00  ".count) }.suffix(2) == ["50%", "49%"])
        let json = try bus.run(["plot", "battery", "--json"]).output.split(separator: "\n")
        #expect(json.count == lines.count && json.last?.hasSuffix(#""value":49.0}"#) == true, "\(json)")
        #expect(
            try bus.run(["publish", "org.example.player", #"{"volume":7,"track":{"length":180},"title":"x"}"#]).code
                == 0)
        let several = try bus.run(["plot", "org.example.player"])
        #expect(several.code == 64)
        #expect(
            several.errors
                == "reveille: org.example.player has several numbers; name one of them: track.length or volume\n")
        let length = try bus.run(["plot", "org.example.player", "track.length", "--json"])
        #expect(length.output.hasSuffix(#""value":180.0}"# + "\n"), "\(length.output)")
        #expect(try bus.run(["plot", "org.example.player", "title"]).code == 64)
        let none = try bus.run(["plot", "light"])
        #expect(none.errors == "reveille: the bus has no values of light to draw\n" && none.code == 0)
    }
}
