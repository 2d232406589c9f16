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
        let light = try Self.chart([-.greatestFiniteMagnitude, .greatestFiniteMagnitude], of: .light)
        #expect(light.lines(columns: 700, rows: 4) != nil)
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
        let none = try bus.run(["plot", "light"])
        #expect(none.errors == "reveille: the bus has no values of light to draw\n" && none.code == 0)
    }
}
