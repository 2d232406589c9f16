// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Gives single keys without waiting for a line, for as long as it lives.
final class RawTerminal {
    private var saved = termios()

    init() {
        tcgetattr(STDIN_FILENO, &saved)
        var raw = saved
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    }

    deinit {
        tcsetattr(STDIN_FILENO, TCSANOW, &saved)
    }
}
