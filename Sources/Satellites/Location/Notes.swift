// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Messages on stderr, without those that repeat the last one about their subject.
struct Notes {
    enum Subject {
        case gpsd, bus, line
    }

    private var last: [Subject: String]

    /// Creates notes that have reported that the bus is available, which is not news at first.
    init() {
        last = [.bus: "the bus is available"]
    }

    mutating func write(_ message: String, about subject: Subject) {
        guard last.updateValue(message, forKey: subject) != message else { return }
        Self.write(message)
    }

    static func write(_ message: String) {
        let line = Array("reveille-location: \(message)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
