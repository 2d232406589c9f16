// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

extension MQTTConnection {
    /// The families of addresses of a host, which are tried one after another.
    struct Attempts {
        /// The families that remain.
        var families: [HostLookup.Family] = []
        /// The family that is tried, if there are several.
        private var current: HostLookup.Family?
        /// Why those before failed.
        private var failures: [String] = []

        /// The address from which to connect, if that decides the family.
        var origin: String? { current?.origin }

        /// Begins with the next family.
        mutating func begin() {
            guard !families.isEmpty else { return }
            let next = families.removeFirst()
            current = families.isEmpty && failures.isEmpty ? nil : next
        }

        /// Notes why a family failed; returns whether another one remains.
        mutating func fail(_ reason: String) -> Bool {
            guard let current, !families.isEmpty else { return false }
            failures.append("\(reason) (\(current.name))")
            return true
        }

        /// A reason with those of the families before.
        func complete(_ reason: String) -> String {
            guard let current, !failures.isEmpty else { return reason }
            return (failures + ["\(reason) (\(current.name))"]).joined(separator: ", ")
        }
    }

    /// The time that is left to connect.
    var timeLeft: Duration {
        let now = loop.bootClock
        return .microseconds(deadline > now ? deadline - now : 0)
    }
}
