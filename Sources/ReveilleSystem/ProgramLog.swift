// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The log of a program on stderr.
///
/// A line begins with the name of the program and the level or, if stderr is a journal, with a priority (sd-daemon(3)).
/// Lines that cannot be written immediately are dropped, so a slow reader does not block the program.
package struct ProgramLog: Sendable {
    /// The least important level that is written.
    package var level: LogLevel
    private let program: String
    private let isJournal: Bool

    package init(of program: String, level: LogLevel, isJournal: Bool = ProgramLog.isStderrJournal) {
        self.program = program
        self.level = level
        self.isJournal = isJournal
    }

    /// Whether stderr is a journal; `$JOURNAL_STREAM` is also set in a child with redirected output (systemd.exec(5)).
    package static var isStderrJournal: Bool {
        var status = stat()
        guard let stream = Environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    package func write(_ level: LogLevel, _ message: String) {
        guard level >= self.level else { return }
        _ = Output.writeReady((line(level, message) + "\n").utf8, to: STDERR_FILENO)
    }

    /// Returns the line of a message, in which control characters are escaped: a line break would begin another entry.
    package func line(_ level: LogLevel, _ message: String) -> String {
        (isJournal ? "<\(level.priority)>" : "\(program): \(level): ") + message.printable
    }
}

/// The importance of a message in the log of a program, from the least to the greatest, in the words of swift-log.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case trace, debug, info, notice, warning, error, critical

    package struct Invalid: Error, CustomStringConvertible {
        package let description: String
    }

    /// Returns the level of the command line, else of `$LOG_LEVEL` (in any case of letters), else `info`.
    package static func chosen(_ option: LogLevel?) throws(Invalid) -> LogLevel {
        if let option { return option }
        guard let text = Environment["LOG_LEVEL"] else { return .info }
        guard let level = LogLevel(rawValue: text.lowercased()) else {
            let levels = allCases.map(\.rawValue).joined(separator: ", ")
            throw Invalid(description: "LOG_LEVEL: '\(text.printable)' must be one of \(levels)")
        }
        return level
    }

    /// The priority of syslog(3), which a journal stores.
    package var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    package static func < (one: LogLevel, other: LogLevel) -> Bool {
        guard let index = allCases.firstIndex(of: one), let end = allCases.firstIndex(of: other) else { return false }
        return index < end
    }
}

/// The log of a program, without messages that repeat the last message about their subject.
package final class SubjectLog<Subject: Hashable> {
    /// The most subjects whose last messages are remembered: a peer may invent any number of them.
    private static var subjectLimit: Int { 256 }

    /// The log, for messages without a subject.
    package let log: ProgramLog
    private var last: [Subject: String]

    /// Creates a log; `known` has the messages that are not news at first.
    package init(_ log: ProgramLog, known: [Subject: String] = [:]) {
        self.log = log
        last = known
    }

    package func write(_ level: LogLevel, _ message: String, about subject: Subject) {
        if last.count >= Self.subjectLimit, last[subject] == nil { last = [:] }
        guard last.updateValue(message, forKey: subject) != message else { return }
        log.write(level, message)
    }

    /// Forgets the last message about a subject, so that the next one is written in any case.
    package func settle(_ subject: Subject) {
        last[subject] = nil
    }
}

extension StringProtocol {
    /// The text with all characters escaped that could control a terminal or hide other text: `\n`, `\u{1B}`.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return String(self) }
        return unicodeScalars.reduce(into: "") { $0 += $1.isControl ? $1.escaped : String($1) }
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character (C0, DEL or C1), a line or paragraph separator, or a bidi control.
    package var isControl: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return properties.isBidiControl
        }
    }

    fileprivate var escaped: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(value, radix: 16, uppercase: true))}"
        }
    }
}
