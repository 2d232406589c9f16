// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How a device is used over a day: averages, around which each day is random.
package struct DayScenario: Sendable {
    /// The name on the command line.
    var name: String
    /// One sentence about the device.
    var summary: String
    /// The time in seconds since midnight at which the device is used.
    var awake: Range<Double>
    /// The number of uses.
    var uses: Int
    /// The mean length of a use in seconds.
    var useSeconds: Double
    /// The mean time between two poses in a use, in seconds.
    var turnSeconds: Double
    /// The part of uses that are calls, with the device at the ear.
    var callShare: Double
    /// The part of uses that begin or end in a pocket.
    var pocketShare: Double
    /// The part of uses in which a setting is changed.
    var settingShare: Double
    /// Whether the device has its charger all day.
    var isAlwaysPlugged: Bool
    /// The level at which the charger is sought.
    var low: Double
    /// The part of a full charge that an hour of use takes.
    var drain: Double
    /// The part of a full charge that an hour without use takes.
    var idleDrain: Double
    /// The part of a full charge that an hour on the charger adds.
    var charge: Double
    /// The times in seconds since midnight without a network.
    var offline: [Range<Double>]

    /// A phone in the hand and in the pocket.
    static let phone = DayScenario(
        name: "phone",
        summary:
            "a phone that is used some 70 times between 7:00 and 23:00, with two journeys of 40 minutes without a network",
        awake: 25_200..<82_800, uses: 70, useSeconds: 180, turnSeconds: 60, callShare: 0.08, pocketShare: 0.45,
        settingShare: 0.28, isAlwaysPlugged: false, low: 0.35, drain: 0.18, idleDrain: 0.012, charge: 0.5,
        offline: [28_800..<31_200, 64_800..<67_200])

    /// A tablet in a shop, which visitors pick up.
    static let kiosk = DayScenario(
        name: "kiosk",
        summary:
            "a tablet with its charger in a shop, picked up some 120 times between 9:00 and 20:00, with an hour without a network",
        awake: 32_400..<72_000, uses: 120, useSeconds: 120, turnSeconds: 30, callShare: 0, pocketShare: 0,
        settingShare: 0.02, isAlwaysPlugged: true, low: 0, drain: 0, idleDrain: 0, charge: 0.5,
        offline: [46_800..<50_400])

    /// All scenarios.
    package static let all = [phone, kiosk]
}
