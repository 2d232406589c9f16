// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The names whose states last as long as the connections that published them.
///
/// A name is listed only while its last state is tied to the connection, so the list is never longer than the bus's
/// own.
struct TiedNames {
    /// The names by connection.
    private(set) var names: [UInt64: Set<Aspect>] = [:]
    /// The names whose states were published again, after a loss of the connection or of the bus.
    private var repeated: Set<Aspect> = []

    /// Notes that the state of a name was replaced; `nil` stands for a state that is tied to no connection.
    mutating func move(_ name: Aspect, from before: UInt64?, to now: UInt64?, isAgain: Bool = false) {
        if isAgain, now != nil { repeated.insert(name) } else { repeated.remove(name) }
        guard before != now else { return }
        if let before {
            names[before]?.remove(name)
            if names[before]?.isEmpty == true { names[before] = nil }
        }
        if let now { names[now, default: []].insert(name) }
    }

    func isRepeated(_ name: Aspect) -> Bool { repeated.contains(name) }

    func names(of connection: UInt64) -> [Aspect] {
        names[connection]?.sorted() ?? []
    }
}
