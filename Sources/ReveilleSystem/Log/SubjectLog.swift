// SPDX-License-Identifier: Apache-2.0

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

    /// Lets the next message about a subject be written, whatever it is.
    package func settle(_ subject: Subject) {
        last[subject] = nil
    }
}
