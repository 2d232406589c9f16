// SPDX-License-Identifier: Apache-2.0

import ReveilleService
import ReveilleSimulation

/// Checks that the lines that a log reads from any file can be read again.
enum LogTarget {
    static func check(_ bytes: [UInt8]) throws(Broken) {
        var log = BusLog()
        _ = log.load(bytes)
        let texts = log.lines.map(\.text)
        try require(texts.allSatisfy { !$0.contains(10) }, "a line is one line")
        var again = BusLog()
        try requireEqual(again.load(Array(texts.joined(separator: [10]))), 0, "lines that cannot be read again")
        try requireEqual(again.lines.map(\.text), texts, "lines read again")
    }
}
