// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import Testing

struct ProgramLogTests {
    private let terminal = ProgramLog(of: "reveille", level: .info, isJournal: false)
    private let journal = ProgramLog(of: "reveille", level: .info, isJournal: true)

    @Test func linesForAJournalBeginWithTheirPriority() {
        let lines = LogLevel.allCases.map { journal.line($0, "x") }
        #expect(lines == ["<7>x", "<7>x", "<6>x", "<5>x", "<4>x", "<3>x", "<2>x"])
    }

    @Test func otherLinesNameTheProgramAndTheLevel() {
        #expect(terminal.line(.warning, "the disk is full") == "reveille: warning: the disk is full")
    }

    @Test("a line break in a message does not begin an entry with a priority of its own")
    func lineBreaksAreEscaped() {
        #expect(journal.line(.info, "a\n<0>b\u{1B}[2J\r\u{2028}") == #"<6>a\n<0>b\u{1B}[2J\r\u{2028}"#)
    }

    @Test func levelsAreOrderedByImportance() {
        #expect(LogLevel.allCases.sorted() == LogLevel.allCases)
        #expect(LogLevel.trace < .debug && LogLevel.error < .critical && !(LogLevel.info < .info))
    }
}
