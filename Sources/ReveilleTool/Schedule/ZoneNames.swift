// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

enum ZoneNames {
    private static let list = "tzdata.zi"
    /// The maximum size of the list, whose usual size is a hundred kilobytes.
    private static let limit = 1 << 20

    /// The names; empty if the device has no list of them.
    static var all: [String] {
        let directory = Environment["TZDIR"] ?? "/usr/share/zoneinfo"
        guard case .bytes(let bytes) = FileContents.read(directory + "/" + list, limit: limit) else { return [] }
        return names(in: bytes)
    }

    /// Returns the names in a list: lines such as `Z Europe/Berlin …` and `L Europe/Berlin Europe/Oslo` (zic(8)).
    static func names(in bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 3)
            switch words.first {
            case "Z" where words.count > 1: return String(words[1])
            case "L" where words.count > 2: return String(words[2])
            default: return nil
            }
        }
    }
}
