// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The terminal on stdin, whose modes are changed only while this process is in the foreground.
package final class Terminal {
    /// The largest usable size: more than any display shows.
    ///
    /// A terminal can report 65,535 columns and rows. A screen of that size would take 100 GB.
    private static let largest = (columns: 1_000, rows: 500)

    /// The original modes, while raw mode is on.
    private var saved: termios?

    package init() {}

    deinit {
        leaveRawMode()
    }

    /// Whether this process is in the terminal's foreground.
    ///
    /// In the background, reading stops the process (SIGTTIN), and so does setting modes (SIGTTOU).
    package var isOurs: Bool {
        tcgetpgrp(STDIN_FILENO) == getpgrp()
    }

    /// Turns off line buffering and echo.
    ///
    /// The modes are always set again, because a shell changes them while a job is stopped.
    ///
    /// - Returns: `false` if this process is in the background or stdin is not a terminal.
    package func enterRawMode() -> Bool {
        guard isOurs else { return false }
        var modes = termios()
        if let saved {
            modes = saved
        } else {
            guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return false }
            saved = modes
        }
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        return tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0
    }

    package func leaveRawMode() {
        guard var modes = saved, isOurs else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &modes)
        saved = nil
    }

    /// Returns the size of a file descriptor's terminal in columns and rows, within limits; `nil` if it is unknown.
    package static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        guard let size = TerminalSize.of(descriptor), size.columns > 0, size.rows > 0 else { return nil }
        return (min(size.columns, largest.columns), min(size.rows, largest.rows))
    }
}
