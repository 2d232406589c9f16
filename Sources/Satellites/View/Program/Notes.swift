// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// The log of the program.
typealias Notes = SubjectLog<Subject>

/// What messages that may repeat are about.
enum Subject {
    case bus, broker, history, connections
}
