// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

/// The true state of the devices, independent of any bus, as a number for each aspect that only increases.
package final class Reality {
    /// The simulated aspects: one always watched, one watched on demand.
    package static let aspects: [BuiltInAspect] = [.locale, .battery]
    /// The number of each aspect's state.
    package private(set) var number = AspectTable<Int>(repeating: 0)
    /// Whether the battery has been removed.
    package private(set) var isBatteryGone = false

    /// Creates the initial state.
    package init() {}

    /// Changes the state of an aspect.
    package func change(_ aspect: BuiltInAspect) {
        number[aspect] += 1
    }

    /// Removes the battery, or inserts it again.
    package func moveBattery() {
        isBatteryGone.toggle()
        change(.battery)
    }

    /// Returns the state of an aspect; a removed battery keeps its number in the name of a pack.
    package func reading(of aspect: BuiltInAspect) -> Reading {
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

    /// Returns the number in a state; `nil` for a posted state without one.
    static func number(in reading: Reading) -> Int? {
        switch reading {
        case .locale(let locale): Int(locale.identifier.dropFirst())
        case .battery(let battery): battery.packs.first.flatMap { Int($0.name.dropFirst()) }
        default: nil
        }
    }
}
