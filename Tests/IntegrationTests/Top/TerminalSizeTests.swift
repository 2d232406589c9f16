// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleConsole
import ReveilleTesting
import Testing

@testable import ReveilleTool

/// The size that a terminal reports.
@Suite(.blocking) struct TerminalSizeTests {
    @Test(
        "a terminal's size is used as far as a display can show it",
        arguments: [(80, 24, 80, 24), (65_535, 65_535, 1_000, 500), (65_535, 24, 1_000, 24)])
    func size(columns: UInt16, rows: UInt16, usedColumns: Int, usedRows: Int) throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { throw Trouble("/dev/ptmx: \(errno)") }
        defer { close(terminal) }
        var reported = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        #expect(ioctl(terminal, UInt(TIOCSWINSZ), &reported) == 0)
        let size = try #require(Terminal.size(of: terminal))
        #expect(size == (usedColumns, usedRows))
    }
}
