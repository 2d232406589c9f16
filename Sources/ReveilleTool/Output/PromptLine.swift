// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// The last line of a terminal, below whatever is printed; any thread.
final class PromptLine: Sendable {
    private struct Line {
        var head: StyledText = ""
        var rest = ""
        var isShown = false
    }

    private let line = Lock(Line())

    /// Says something else, once the line is shown.
    ///
    /// - Parameters:
    ///   - head: The word that counts.
    ///   - rest: What is cut off where the terminal is too narrow.
    func say(_ head: StyledText, _ rest: String) {
        line.withLock { line in
            line.head = head
            line.rest = rest
            Self.draw(line)
        }
    }

    /// Shows the line, again if need be.
    func show() {
        line.withLock { line in
            line.isShown = true
            Self.draw(line)
        }
    }

    /// Leaves the terminal to somebody else.
    func hide() {
        line.withLock { line in
            if line.isShown { Console.replaceLine(with: "") }
            line.isShown = false
        }
    }

    /// Takes it for gone: the terminal is somebody else's already.
    func forget() {
        line.withLock { $0.isShown = false }
    }

    /// Whether it is shown.
    var isShown: Bool { line.withLock { $0.isShown } }

    /// Prints above the line.
    func print(_ text: StyledText, to output: (StyledText) throws(Failure) -> Void) throws(Failure) {
        try line.withLock { line throws(Failure) in
            if line.isShown { Console.replaceLine(with: "") }
            try output(text)
            Self.draw(line)
        }
    }

    private static func draw(_ line: Line) {
        guard line.isShown else { return }
        // The last column is left free: some terminals begin a new line behind it.
        let columns = (Console.columns ?? 80) - 1
        let rest = line.rest.truncated(to: columns - line.head.width)
        Console.replaceLine(with: line.head + Style.dim(StyledText(rest)))
    }
}
