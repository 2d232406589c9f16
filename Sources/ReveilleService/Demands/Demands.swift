// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire

/// The publishers that observe the demand for their names: calls of ObserveDemand.
struct Demands {
    /// The demand that each observer was last sent, by the number of its connection.
    private var sent: [UInt64: [NameDemand]] = [:]

    var isEmpty: Bool { sent.isEmpty }

    mutating func begin(_ number: UInt64, with demands: [NameDemand]) { sent[number] = demands }

    /// Ends an observation, and returns its names and patterns.
    mutating func end(_ number: UInt64) -> [Aspect] { sent.removeValue(forKey: number)?.map(\.aspect) ?? [] }

    /// Returns the changes since an observer's last reply, and counts them as sent.
    mutating func takeChanges(for number: UInt64, isNeeded: (Aspect) -> Bool) -> [NameDemand] {
        guard let before = sent[number] else { return [] }
        let now = before.map { NameDemand(aspect: $0.aspect, isNeeded: isNeeded($0.aspect)) }
        sent[number] = now
        return zip(before, now).filter { $0.isNeeded != $1.isNeeded }.map { $1 }
    }
}
