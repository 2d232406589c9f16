// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// The log, without messages that repeat the last one about their subject.
struct Notes {
    enum Subject {
        case gpsd, bus, line
    }

    private static let busIsAvailable = "the bus is available"
    private let log: ProgramLog
    private var last: [Subject: String]

    /// Creates notes that have reported that the bus is available, which is not news at first.
    init(_ log: ProgramLog) {
        self.log = log
        last = [.bus: Self.busIsAvailable]
    }

    mutating func write(_ level: LogLevel, _ message: String, about subject: Subject) {
        guard last.updateValue(message, forKey: subject) != message else { return }
        log.write(level, message)
    }

    mutating func reportBus() {
        write(.info, Self.busIsAvailable, about: .bus)
    }
}
