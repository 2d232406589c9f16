// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// The terminal on stdin, as far as it is this process's: a job in the background must leave it alone.
final class Terminal {
    /// The modes from before ``enterRawMode()``, while they are changed.
    private var saved: termios?

    deinit {
        leaveRawMode()
    }

    /// Whether this process is in the terminal's foreground.
    ///
    /// From the background, reading a key stops the process (SIGTTIN), and so does setting modes (SIGTTOU).
    var isOurs: Bool {
        tcgetpgrp(STDIN_FILENO) == getpgrp()
    }

    /// Has keys come one by one and unseen.
    ///
    /// Set again where it was set before: a shell sets modes of its own while a job is stopped.
    ///
    /// - Returns: Whether they do; not in the background.
    func enterRawMode() -> Bool {
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

    /// Puts the modes back as they were.
    func leaveRawMode() {
        guard var modes = saved, isOurs else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &modes)
        saved = nil
    }

    /// How many columns lines on a descriptor have; `nil` where nobody says, as in a pipe.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return Environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
