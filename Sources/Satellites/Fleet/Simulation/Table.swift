// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Tables in Markdown, so that a document contains what was printed.
enum Table {
    /// Prints a table, whose first column has names and whose others have numbers.
    static func print(_ head: [String], _ rows: [[String]]) {
        let rule = ["---"] + head.dropFirst().map { _ in "---:" }
        for row in [head, rule] + rows { Swift.print("| " + row.joined(separator: " | ") + " |") }
    }

    /// A number of bytes in kilobytes.
    static func kilobytes(_ bytes: Int) -> String { decimal(Double(bytes) / 1e3, 1) + " kB" }

    /// A number of bytes in megabytes.
    static func megabytes(_ bytes: Int) -> String { decimal(Double(bytes) / 1e6, 2) + " MB" }

    /// A number with a fixed number of digits after the point, and thousands that are separated.
    static func decimal(_ value: Double, _ digits: Int) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((value * Double(scale)).rounded())
        let whole = grouped(scaled / scale)
        guard digits > 0 else { return whole }
        let rest = String(scaled % scale)
        return whole + "." + String(repeating: "0", count: digits - rest.count) + rest
    }

    /// A number with thousands that are separated.
    static func grouped(_ number: Int) -> String {
        number < 1_000
            ? "\(number)"
            : grouped(number / 1_000) + "," + String(String(1_000 + number % 1_000).dropFirst())
    }

    /// A number with three significant digits.
    static func rounded(_ value: Double) -> String {
        value < 10 ? decimal(value, 2) : value < 100 ? decimal(value, 1) : decimal(value, 0)
    }
}
