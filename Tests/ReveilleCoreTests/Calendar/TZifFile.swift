// SPDX-License-Identifier: Apache-2.0

/// The bytes of a TZif file, from its contents.
struct TZifFile {
    var version = UInt8(ascii: "2")
    var initial = 0
    var changes: [(time: Int, offset: Int)] = []
    var footer = ""
    var leapSeconds: [(time: Int, correction: Int)] = []

    var bytes: [UInt8] {
        guard version != 0 else { return table(timeSize: 4) }
        var empty = self
        empty.changes = []
        empty.leapSeconds = []
        return empty.table(timeSize: 4) + table(timeSize: 8) + Array("\n\(footer)\n".utf8)
    }

    private func table(timeSize: Int) -> [UInt8] {
        let name = Array("LMT\0".utf8)
        let counts = [0, 0, leapSeconds.count, changes.count, changes.count + 1, name.count]
        var bytes = Array("TZif".utf8) + [version] + Array(repeating: 0, count: 15)
        for count in counts { bytes += Self.integer(count, 4) }
        for change in changes { bytes += Self.integer(change.time, timeSize) }
        bytes += changes.indices.map { UInt8($0 + 1) }
        for offset in [initial] + changes.map(\.offset) { bytes += Self.integer(offset, 4) + [0, 0] }
        bytes += name
        for second in leapSeconds { bytes += Self.integer(second.time, timeSize) + Self.integer(second.correction, 4) }
        return bytes
    }

    private static func integer(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
