// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

typealias LocationLog = SubjectLog<Subject>

/// The subjects of messages that may repeat.
enum Subject {
    case gpsd, bus, line
}

extension SubjectLog<Subject> {
    private static var busIsAvailable: String { "the bus is available" }

    /// Creates a log that considers the bus available, so that a working bus is not reported at first.
    convenience init(reportingTo log: ProgramLog) {
        self.init(log, known: [.bus: Self.busIsAvailable])
    }

    func reportBus() {
        write(.info, Self.busIsAvailable, about: .bus)
    }
}
