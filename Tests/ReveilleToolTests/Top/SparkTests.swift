// SPDX-License-Identifier: Apache-2.0

import Reveille
import Testing

@testable import ReveilleCore
@testable import ReveilleTool

/// Numbers as bars, and changes as numbers.
@Suite struct SparkTests {
    @Test(
        arguments: [
            ([0, 1, 2, 3], 2, "⣠⣾"), ([0, 1, 2, 3], 4, "  ⣠⣾"), ([5, 5], 1, "⣀"), ([1], 1, "⢀"), ([], 2, "  "),
            ([nil, 1, nil, 2], 2, "⢀⢸"), ([0, 3, 0, 3], 1, "⣸"), ([1, 2], 0, ""),
            ([.nan, 1, .infinity, 2], 2, "⢀⢸"),
            ([-.greatestFiniteMagnitude, .greatestFiniteMagnitude], 1, "⣸"),
        ] as [([Double?], Int, String)])
    func numbersAreBars(values: [Double?], columns: Int, line: String) {
        #expect(Spark.line(values, columns: columns) == line)
    }

    @Test func dotsOutsideOfTheDrawingAreIgnored() {
        var canvas = BrailleCanvas(columns: 2, rows: 2)
        for (x, y) in [(-1, 0), (4, 0), (0, -1), (0, 8), (.max, .max), (.min, .min + 8)] { canvas.set(x, y) }
        #expect(canvas == BrailleCanvas(columns: 2, rows: 2))
        canvas.set(0, 7)
        canvas.set(3, 0)
        #expect(canvas.lines == ["⠁ ", " ⢀"])
        #expect(BrailleCanvas(columns: -1, rows: 3).lines == ["", "", ""])
    }

    @Test func numbersHaveTheirSizeAndOtherStatesAHeightEach() {
        #expect(ChangeLine.heights(of: TopScene.levels([0.1, nil, 0.3])) == [10, nil, 30])
        let poses: [Reading] = [.proximity(.near), .proximity(.far), .proximity(.near)]
        #expect(ChangeLine.heights(of: TopScene.changes(poses)) == [0, 1, 0])
        #expect(ChangeLine.heights(of: []).isEmpty)
    }

    @Test(
        arguments: [
            ([#"{"volume":1}"#, #"{"volume":0.5}"#], [1, 0.5]), ([#"{"a":"x","b":2}"#, #"{"a":"y"}"#], [0, 1]),
            ([#"{"a":1}"#, nil, #"{"a":3}"#], [1, nil, 3]),
            ([#"{"a":"x"}"#, #"{"a":"y"}"#, #"{"a":"x"}"#], [0, 1, 0]),
            ([#"{}"#], [0]), ([nil], [0]),
        ] as [([String?], [Double?])])
    func publishedValueHasTheHeightOfItsFirstNumber(values: [String?], heights: [Double?]) {
        let readings = values.map { value in
            Reading.published(PublishedValue("org.example.a", bytes: value.map { Array($0.utf8) }))
        }
        #expect(ChangeLine.heights(of: TopScene.changes(readings)) == heights)
    }
}
