// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The log of the program.
typealias ViewLog = SubjectLog<Subject>

/// The subjects of messages that may repeat.
enum Subject {
    case bus, broker, history, connections
}
