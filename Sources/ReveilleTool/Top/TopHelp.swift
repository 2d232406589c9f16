// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole

enum TopHelp {
    /// The keys in the bottom line, the most important first: a narrow screen has no room for the last ones.
    static let hints: [(key: String, meaning: String)] = [
        ("q", "quit"), ("?", "help"), ("h", "hold"), ("w", "wake"), ("s", "suspend"), ("/", "filter"),
        ("Tab", "other list"), ("o", "order"), ("r", "reverse"), ("Ctrl-Z", "stop"),
    ]

    /// The text: heads, terms with their explanations after a colon, and paragraphs without one.
    private static let text = """
        KEYS
        Up, Down: select a row; also k, j, PgUp, PgDn, Home and End
        Tab: go to the other list
        h: hold the selected subscription in the background
        s: suspend its program: freeze it, too
        w: wake it: it gets one event for each aspect that changed
        /: show only rows that contain a text; Esc shows all
        o, r: choose the next order; reverse it
        Ctrl-L: draw the screen again
        q: quit

        COLUMNS
        AGE: the time since the last change
        LAST CHANGES: a bar for each change, the newest at the right: numbers by size, other states by a height for each
        STATE: held by app (its own process), operator (another one), frozen (its cgroup), unread (it has not read its \
        last event)
        WAITING: the changes that are merged until it wakes
        EVENTS/S: events delivered to it; CHANGES/S: the changes merged in them

        reveille top subscribes to nothing. It asks the bus a few questions every second, and none while it is stopped.
        """
    private static let indent = 2
    private static let termColumns = 14

    /// Draws the help, as much of it as fits.
    static func draw(on screen: inout Screen) {
        let end = screen.rows - 1
        var row = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let parts = line.split(separator: ": ", maxSplits: 1).map { String($0) }
            let isTerm = parts.count == 2
            if isTerm, row < end { screen.put(parts[0], row: row, column: indent, style: .bold) }
            let column = isTerm ? indent + termColumns : 0
            let style: Style? = line.allSatisfy(\.isUppercase) ? .bold : nil
            for piece in wrap(parts.last ?? "", to: screen.columns - column) {
                if row < end { screen.put(piece, row: row, column: column, style: style) }
                row += 1
            }
        }
        screen.put("press any key to return", row: end, column: 0, style: .dim)
    }

    /// Returns the lines of a text that is broken at spaces.
    static func wrap(_ text: String, to width: Int) -> [String] {
        text.split(separator: " ").reduce(into: [""]) { lines, word in
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.columns + 1 + word.columns <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
