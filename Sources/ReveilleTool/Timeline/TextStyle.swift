// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole

/// A style of texts, named as in the style sheet, with the widths of DejaVu Sans, the widest of the usual fonts.
enum TextStyle: String {
    case plain, muted, number, heading, title

    /// The widths of characters at 13 pixels, in groups whose characters are at most so wide.
    private static let widths = [
        "'ijlIJ ,.": 4.2, "/:;\\|f-": 4.7, "()[]!rt": 5.4, "\"*_`?sz": 7, "acekovxyFLPTY": 8,
        "bdghnpquESK$0123456789{}": 8.6, "ABCRUVXZ": 9.6, "wDGHNOQ&#+<=>^~": 10.9,
    ].reduce(into: [Character: Double]()) { table, group in
        for character in group.key { table[character] = group.value }
    }
    /// The width of any other character, for each of its columns in a terminal.
    private static let em = 13.0

    /// The sizes of bold styles, whose characters are about a seventh wider.
    private static let bold: [TextStyle: Double] = [.number: 12, .heading: 15, .title: 19]

    func width(_ text: some StringProtocol) -> Double {
        let scale = Self.bold[self].map { $0 / 13 * 1.14 } ?? 1
        return scale * text.reduce(0) { $0 + (Self.widths[$1] ?? Self.em * Double(String($1).columns)) }
    }

    /// Returns a text that has room: shortened with an ellipsis if it is too long, or empty if that is too long as well.
    func fitted(_ text: String, to room: Double) -> String {
        guard width(text) > room else { return text }
        guard width("…") <= room else { return "" }
        var rest = room - width("…")
        var start = text.prefix { character in
            rest -= width(String(character))
            return rest >= 0
        }
        // The first digits of a number are another number.
        while let last = start.last, last.isNumber || last == "." { start.removeLast() }
        return start + "…"
    }
}
