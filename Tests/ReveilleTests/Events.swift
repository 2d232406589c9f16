// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSystem
import ReveilleWire
import Varlink

extension Event {
    /// Creates an event whose times are its generation, or a state if there are no changes.
    static func of(_ reading: Reading, _ generation: Int, changes: Int = 1) -> Event {
        let time = Timestamp(microseconds: Int64(generation))
        return Event(
            reading: reading, generation: generation, sequence: generation, changeCount: changes,
            isNetChange: changes > 0,
            firstChangedAt: time, changedAt: time, droppedCount: 0, settings: [])
    }

    /// Creates an event of a name; without a value it was withdrawn.
    static func published(_ name: Aspect, _ value: JSONObject?, _ generation: Int, changes: Int = 1) -> Event {
        .of(.published(name, value), generation, changes: changes)
    }

    static func battery(_ level: Double, _ generation: Int, changes: Int = 1) -> Event {
        .of(.level(level), generation, changes: changes)
    }
}

extension Reading {
    static func level(_ level: Double) -> Reading {
        .battery(Battery(state: .unplugged, level: level, isPlugged: false, chargeStatus: .discharging, packs: []))
    }

    /// Creates the reading of a name; without a value it was withdrawn.
    static func published(_ name: Aspect, _ value: JSONObject?) -> Reading {
        .published(PublishedValue(name, value))
    }
}

extension Lock<Int> {
    /// Adds one, and returns the sum.
    func increment() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}
