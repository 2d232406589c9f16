// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleSystem

/// A status line at the bottom of a terminal, below the output; safe to use from any thread.
final class PromptLine: Sendable {
    private struct Line {
        var head: StyledText = ""
        var rest = ""
        var isShown = false
    }

    private let line = Lock(Line())

    /// Sets the text; the head is always shown whole, and the rest is truncated if the terminal is too narrow.
    func set(_ head: StyledText, _ rest: String) {
        line.withLock { line in
            line.head = head
            line.rest = rest
            Self.draw(line)
        }
    }

    func show() {
        line.withLock { line in
            line.isShown = true
            Self.draw(line)
        }
    }

    /// Hides the line, without writing to a terminal that another job already uses.
    func hide(isOurs: Bool) {
        line.withLock { line in
            if isOurs, line.isShown { Console.replaceLine(with: "") }
            line.isShown = false
        }
    }

    var isShown: Bool { line.withLock { $0.isShown } }

    /// Prints above the line.
    func print<Reason: Error>(_ output: () throws(Reason) -> Void) throws(Reason) {
        try line.withLock { line throws(Reason) in
            if line.isShown { Console.replaceLine(with: "") }
            try output()
            Self.draw(line)
        }
    }

    private static func draw(_ line: Line) {
        guard line.isShown else { return }
        // Some terminals wrap as soon as the last column is written.
        let columns = (Console.columns ?? 80) - 1
        let rest = line.rest.truncated(to: columns - line.head.width)
        Console.replaceLine(with: line.head + Style.dim(StyledText(rest)))
    }
}
