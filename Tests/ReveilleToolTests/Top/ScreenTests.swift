// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem
import Testing

@testable import ReveilleTool

/// Screens as values: what is drawn where, and the output that leads from one to another.
@Suite struct ScreenTests {
    private func screen(_ lines: [String], columns: Int = 8) -> Screen {
        var screen = Screen(columns: columns, rows: lines.count)
        for (row, line) in lines.enumerated() { screen.put(line, row: row, column: 0) }
        return screen
    }

    @Test func textIsTruncatedAtTheEdge() {
        var screen = Screen(columns: 6, rows: 2)
        #expect(screen.put("abcdefgh", row: 0, column: 2) == 6)
        #expect(screen.text(of: 0) == "  abc…")
        #expect(screen.text(of: 1).isEmpty)
    }

    @Test(arguments: [(-1, 0), (2, 0), (0, -1), (0, 6), (Int.max, Int.max)])
    func nothingIsDrawnOutside(row: Int, column: Int) {
        var screen = Screen(columns: 6, rows: 2)
        screen.put("abc", row: row, column: column)
        #expect(screen == Screen(columns: 6, rows: 2))
    }

    @Test func wideCharacterHasTwoCells() {
        var screen = screen(["世界a"])
        #expect((0..<6).map { screen[0, $0].text } == ["世", "", "界", "", "a", " "])
        // Each half that is overwritten takes the other one with it.
        screen.put("x", row: 0, column: 1)
        screen.put("y", row: 0, column: 2)
        #expect((0..<6).map { screen[0, $0].text } == [" ", "x", "y", " ", "a", " "])
    }

    @Test func combiningMarksStayInTheCellOfTheirLetter() {
        let screen = screen(["e\u{301}x"])
        #expect(screen[0, 0].text == "e\u{301}")
        #expect(screen[0, 1].text == "x")
    }

    @Test func marksOfOneLetterAreLimited() {
        let screen = screen(["a" + String(repeating: "\u{301}", count: 10_000) + "b"])
        #expect(screen[0, 0].text.unicodeScalars.count == 8)
        #expect(screen[0, 1].text == "b")
    }

    @Test(arguments: ["\u{1B}[2J", "\u{9B}2J", "a\nb", "a\rb", "\u{202E}abc", "\u{7}"])
    func controlCharactersAreEscaped(text: String) {
        let screen = screen([text], columns: 40)
        #expect(screen.text(of: 0) == text.printable)
        let output = screen.output(after: Screen(columns: 40, rows: 1), isColored: true)
        let body = output.dropFirst("\u{1B}[?2026h\u{1B}[1;1H".count).dropLast("\u{1B}[?2026l".count)
        #expect(body.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) })
    }

    @Test func cursorIsMovedAfterACharacterOfUncertainWidth() {
        let output = screen(["é⠿…x"]).output(after: Screen(columns: 8, rows: 1), isColored: true)
        #expect(output == "\u{1B}[?2026h\u{1B}[1;1Hé\u{1B}[1;2H⠿…x\u{1B}[?2026l")
    }

    @Test func colorsAreLeftOutOnRequest() {
        var screen = Screen(columns: 4, rows: 1)
        screen.put("a", row: 0, column: 0, style: .green)
        screen.put("b", row: 0, column: 1, style: .bold)
        let blank = Screen(columns: 4, rows: 1)
        #expect(
            screen.output(after: blank, isColored: true)
                == "\u{1B}[?2026h\u{1B}[1;1H\u{1B}[0;32ma\u{1B}[0;1mb\u{1B}[0m\u{1B}[?2026l")
        #expect(
            screen.output(after: blank, isColored: false)
                == "\u{1B}[?2026h\u{1B}[1;1Ha\u{1B}[0;1mb\u{1B}[0m\u{1B}[?2026l")
    }

    /// A terminal that understands what ``Screen/output(after:isColored:)`` writes.
    private func terminal(after output: String, on screen: [[String]]) -> [[String]] {
        var cells = screen
        var (row, column) = (0, 0)
        var rest = Substring(output)
        while let character = rest.first {
            guard character == "\u{1B}" else {
                cells[row][column] = String(character)
                if character.columns == 2 { cells[row][column + 1] = "" }
                column += character.columns
                rest = rest.dropFirst()
                continue
            }
            let end = rest.firstIndex { $0.isLetter } ?? rest.endIndex
            let parameters = rest[..<end].dropFirst(2).split(separator: ";").compactMap { Int($0) }
            if rest[end] == "H" { (row, column) = (parameters[0] - 1, parameters[1] - 1) }
            if rest[end] == "J" { cells = cells.map { $0.map { _ in " " } } }
            rest = rest[rest.index(after: end)...]
        }
        return cells
    }

    @Test func outputLeadsFromAnyScreenToAnyOther() {
        var random = SystemRandomNumberGenerator()
        let letters = ["a", "b", " ", "世", "界", "é", "⠿"]
        var shown: Screen?
        var cells = [[String]](repeating: [String](repeating: "?", count: 9), count: 4)
        for _ in 0..<500 {
            var next = Screen(columns: 9, rows: 4)
            for row in 0..<4 {
                for _ in 0..<3 {
                    let text = (0..<Int.random(in: 0...5, using: &random)).map { _ in letters.randomElement()! }
                        .joined()
                    next.put(text, row: row, column: Int.random(in: 0..<9, using: &random))
                }
            }
            cells = terminal(after: next.output(after: shown, isColored: true), on: cells)
            let wanted = (0..<4).map { row in (0..<9).map { next[row, $0].text } }
            #expect(cells == wanted, "\(wanted)")
            shown = next
        }
    }

    @Test(
        "a terminal's size is used as far as a display can show it",
        arguments: [(80, 24, 80, 24), (65_535, 65_535, 1_000, 500), (65_535, 24, 1_000, 24)])
    func size(columns: UInt16, rows: UInt16, usedColumns: Int, usedRows: Int) throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(terminal >= 0, "/dev/ptmx: \(errno)")
        defer { close(terminal) }
        var reported = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        #expect(ioctl(terminal, UInt(TIOCSWINSZ), &reported) == 0)
        let size = try #require(Terminal.size(of: terminal))
        #expect(size == (usedColumns, usedRows))
    }
}
