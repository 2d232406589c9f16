// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Data on stdout, messages on stderr, each line at once.
enum Console {
    /// Writes a line of data.
    static func line(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// Writes a line for people.
    static func error(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Whether stdout is a terminal that wants color (no-color.org).
    static let isColored = isatty(STDOUT_FILENO) == 1 && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)

    /// Whether a person sits at both ends.
    static let isInteractive = isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            // A reader that is gone ends the command by SIGPIPE; nothing else is worth saying.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// Colors of a terminal, or none.
enum Style: String {
    case bold = "1"
    case dim = "2"
    case green = "32"
    case yellow = "33"
    case cyan = "36"

    /// The text in this color, where the terminal wants it.
    func callAsFunction(_ text: String) -> String {
        Console.isColored ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
