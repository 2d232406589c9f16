// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleSystem

/// Passes the messages of a logger to the log of the program, whose levels have the same names.
struct StderrLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    /// The logger drops less important messages before they are composed.
    var logLevel: Logger.Level
    private let log: ProgramLog

    init(_ log: ProgramLog) {
        self.log = log
        logLevel = Logger.Level(rawValue: log.level.rawValue) ?? .info
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        log.write(LogLevel(rawValue: event.level.rawValue) ?? .info, "\(event.message)")
    }
}
