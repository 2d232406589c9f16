// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Messages on stderr, without those that repeat the last one about their subject.
final class Notes {
    enum Subject {
        case bus, history, connections
    }

    private var last: [Subject: String] = [:]

    /// Writes a message, unless it is the last one about its subject.
    func write(_ message: String, about subject: Subject) {
        guard last.updateValue(message, forKey: subject) != message else { return }
        Self.write(message)
    }

    /// Lets the next message about a subject be written, whatever it is.
    func settle(_ subject: Subject) {
        last[subject] = nil
    }

    static func write(_ message: String) {
        let line = Array("reveille-view: \(message)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
