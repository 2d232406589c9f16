// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// The names whose states last as long as the connections that published them.
///
/// A name is here only while its last state is tied to the connection, so there are never more than names on the bus.
struct TiedNames {
    /// The names by connection.
    private var names: [UInt64: Set<Aspect>] = [:]

    /// Whether no state is tied to a connection.
    var isEmpty: Bool { names.isEmpty }

    /// Notes that the state of a name was replaced.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - before: The connection to which its state was tied, if it was.
    ///   - now: The connection to which its state is tied now.
    mutating func move(_ name: Aspect, from before: UInt64?, to now: UInt64?) {
        guard before != now else { return }
        if let before {
            names[before]?.remove(name)
            if names[before]?.isEmpty == true { names[before] = nil }
        }
        if let now { names[now, default: []].insert(name) }
    }

    /// The names of a connection, in order.
    func names(of connection: UInt64) -> [Aspect] {
        names[connection]?.sorted() ?? []
    }
}
