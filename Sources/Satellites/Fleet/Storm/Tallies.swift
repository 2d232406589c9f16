// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleFleetCore

/// Lines of words that processes leave for each other.
enum Tallies {
    /// What identifies a state.
    static func key(_ device: DeviceID, _ aspect: String) -> String { "\(device)/\(aspect)" }

    /// Writes lines; the file is complete or the earlier one.
    static func write(_ lines: [String], to path: String) {
        guard let file = fopen(path + ".new", "w") else { return }
        for line in lines { fputs(line + "\n", file) }
        fclose(file)
        rename(path + ".new", path)
    }

    /// Reads the words of the lines; none if there is no file.
    static func read(_ path: String) -> [[String]] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var (line, size): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        defer { free(line) }
        var lines: [[String]] = []
        while getline(&line, &size, file) > 0, let line {
            lines.append(String(cString: line).split(whereSeparator: \.isWhitespace).map { String($0) })
        }
        return lines
    }
}
