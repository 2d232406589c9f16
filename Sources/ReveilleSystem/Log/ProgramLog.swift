// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The log of a program on stderr.
///
/// A line begins with the name of the program and the level or, if stderr is a journal, with a priority (sd-daemon(3)).
/// Lines that cannot be written immediately are dropped, so a slow reader does not block the program.
package struct ProgramLog: Sendable {
    /// The least important level that is written.
    package var level: LogLevel
    private let program: String
    private let isJournal: Bool

    package init(of program: String, level: LogLevel, isJournal: Bool = ProgramLog.isStderrJournal) {
        self.program = program
        self.level = level
        self.isJournal = isJournal
    }

    /// Whether stderr is connected to a journal.
    ///
    /// A set `$JOURNAL_STREAM` does not suffice: a child with redirected output inherits the variable
    /// (systemd.exec(5)).
    package static var isStderrJournal: Bool {
        var status = stat()
        guard let stream = Environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    package func write(_ level: LogLevel, _ message: String) {
        guard level >= self.level else { return }
        _ = Output.writeReady((line(level, message) + "\n").utf8, to: STDERR_FILENO)
    }

    /// Returns the line of a message, in which control characters are escaped: a line break would begin another entry.
    package func line(_ level: LogLevel, _ message: String) -> String {
        (isJournal ? "<\(level.priority)>" : "\(program): \(level): ") + message.printable
    }
}
