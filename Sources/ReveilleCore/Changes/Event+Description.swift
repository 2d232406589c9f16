// SPDX-License-Identifier: Apache-2.0

extension Event: CustomStringConvertible {
    /// A line of text: `battery: unplugged, 62% (14 changes)`.
    public var description: String {
        "\(aspect): \(reading)" + (remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))")
    }

    /// Notes on merged and dropped changes: `14 changes`, `back where it was`, `2 dropped`.
    public var remarks: [String] {
        var parts: [String] = []
        if changes > 1 { parts.append("\(changes) changes") }
        if changes > 0 && !netChange { parts.append("back where it was") }
        if dropped > 0 { parts.append("\(dropped) dropped") }
        return parts
    }
}
