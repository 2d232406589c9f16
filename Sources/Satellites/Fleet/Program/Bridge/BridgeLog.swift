// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

typealias BridgeLog = SubjectLog<Subject>

/// The subjects of messages that may repeat.
enum Subject: Hashable {
    case bus, broker, identity, positions
    case topic(String)
    /// An aspect or name of the bus.
    case aspect(String)
}
