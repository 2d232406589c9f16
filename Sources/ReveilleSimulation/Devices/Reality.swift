// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore

/// How things really are, whether a bus lives or not: each state of an aspect has a number that only grows.
package final class Reality {
    /// What changes: one aspect that is always watched, and one that is watched on demand.
    package static let aspects: [Aspect] = [.locale, .battery]
    /// The number of each aspect's state.
    package private(set) var number = AspectTable<Int>(repeating: 0)
    /// The battery has gone.
    package private(set) var isBatteryGone = false

    /// Makes a world in which nothing has happened.
    package init() {}

    /// Changes the state of an aspect.
    package func change(_ aspect: Aspect) {
        number[aspect] += 1
    }

    /// Takes the battery away, or puts it back.
    package func moveBattery() {
        isBatteryGone.toggle()
        change(.battery)
    }

    /// The state of an aspect; a battery that has gone still has its number, as the name of a pack.
    package func reading(of aspect: Aspect) -> Reading {
        let name = "n\(number[aspect])"
        guard aspect == .locale else {
            let level = isBatteryGone ? nil : Double(number[aspect]) / 1_000_000
            return .battery(
                Battery(
                    state: isBatteryGone ? .unknown : .unplugged, level: level, isPlugged: isBatteryGone ? nil : false,
                    chargeStatus: isBatteryGone ? .unknown : .discharging,
                    packs: [Battery.Pack(name: name, level: level, chargeStatus: .discharging)]))
        }
        return .locale(
            LocaleSettings(
                identifier: name, languages: [], numeric: name, time: name, monetary: name, measurement: name))
    }
}
