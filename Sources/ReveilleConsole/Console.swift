// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
package import Varlink

/// Unbuffered output: data to stdout, messages to stderr.
package enum Console {
    package static func line(_ text: StyledText) throws(Failure) {
        try line(printable: text.rendered)
    }

    package static func json(_ value: JSON) throws(Failure) {
        try line(printable: value.printable)
    }

    /// Writes a message, ignoring errors because there is no other place to report them.
    package static func error(_ text: StyledText) {
        try? Output.write((text.rendered + "\n").utf8, to: STDERR_FILENO, of: "stderr")
    }

    /// Replaces the current line of the terminal, without a line break.
    package static func replaceLine(with text: StyledText) {
        try? Output.write(("\r\u{1B}[K" + text.rendered).utf8, to: STDERR_FILENO, of: "stderr")
    }

    /// Writes terminal control codes to stdout, unless that would block, as on a terminal that Ctrl-S has stopped.
    ///
    /// Errors are ignored: a terminal that is gone sends SIGHUP.
    ///
    /// - Returns: Whether everything was written.
    package static func draw(_ codes: String) -> Bool {
        Output.writeReady(codes.utf8, to: STDOUT_FILENO)
    }

    /// The number of columns of stdout's terminal, else COLUMNS; `nil` if neither is known.
    package static var columns: Int? {
        if let columns = TerminalSize.of(STDOUT_FILENO)?.columns, columns > 0 { return columns }
        return Environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether stdout is a terminal that can be drawn on.
    package static let isTerminal = isatty(STDOUT_FILENO) == 1 && Environment["TERM"] != "dumb"

    /// Whether stdout is a terminal and NO_COLOR (no-color.org) is not set.
    package static let isColored = isatty(STDOUT_FILENO) == 1 && Environment["NO_COLOR"] == nil

    /// Whether all three standard streams are terminals.
    package static let isInteractive = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].allSatisfy { isatty($0) == 1 }

    /// Opens closed standard streams, so that no socket gets their descriptor and receives the output.
    ///
    /// They are opened in the opposite direction, so reads and writes fail as on a closed stream.
    package static func reserveStandardStreams() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes a line of data that contains no unescaped control characters.
    package static func line(printable text: String) throws(Failure) {
        do throws(SystemError) {
            try Output.write((text + "\n").utf8, to: STDOUT_FILENO, of: "stdout")
        } catch {
            if error.code == EPIPE { Signals.die(by: SIGPIPE) }
            throw Failure(.output, "\(error)")
        }
    }
}
