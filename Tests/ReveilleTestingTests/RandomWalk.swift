// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleSimulation
import ReveilleTesting

/// Random steps of a phone and their visible effects.
struct RandomWalk {
    /// The state of the phone that a bus can observe.
    private struct Sight: Equatable {
        var packs: [String]
        var isCharging: Bool
        var pose: Orientation.Pose
        var proximity: Proximity
        var locale: String
        var settings: Int
    }

    private let phone: SyntheticPhone
    private var random: SplitMix64
    private var isPlugged = false
    private var pose = Orientation.Pose.portrait
    private var isNear = false
    private var locale = "en_US"
    private var settings = 0

    init(_ phone: SyntheticPhone, seed: UInt64) {
        self.phone = phone
        random = SplitMix64(seed: seed)
    }

    /// Takes a step, and returns whether it changed the observable state.
    mutating func step() throws -> Bool {
        let before = sight
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1: pack.level = Double(Int.random(in: 0...100, using: &random)) / 100
        case 2: pack.status = Battery.ChargeStatus.allCases.randomElement(using: &random) ?? .full
        case 3:
            isPlugged.toggle()
            try isPlugged ? phone.plugIn() : phone.unplug()
        case 4: try toggle(pack)
        case 5, 6:
            pose = Orientation.Pose.allCases.filter { $0 != .unknown }.randomElement(using: &random) ?? pose
            try phone.rotate(to: pose)
        case 7:
            isNear = Bool.random(using: &random)
            try phone.setNear(isNear)
        case 8: try toggle(Bool.random(using: &random) ? phone.accelerometer : phone.proximitySensor)
        case 9:
            locale = ["de_DE", "en_US", "fr_FR"].randomElement(using: &random) ?? locale
            try phone.setLocale(locale + ".UTF-8")
        default:
            settings = Int.random(in: 0...3, using: &random)
            try phone.writeSettings(settings == 0 ? "{}" : "{\"key\": \(settings)}")
        }
        return sight != before
    }

    private var pack: SyntheticBattery {
        mutating get { phone.batteries[Int.random(in: 0..<phone.batteries.count, using: &random)] }
    }

    private func toggle(_ part: SyntheticPart) throws {
        try part.isPresent ? part.remove() : part.insert()
    }

    private var sight: Sight {
        let packs = phone.batteries.filter(\.isPresent)
        // A charging pack implies a charger.
        let isCharging = !packs.isEmpty && isPlugged || packs.contains { $0.status == .charging }
        return Sight(
            packs: packs.map { "\($0.name) \($0.level) \($0.status)" }, isCharging: isCharging,
            pose: phone.accelerometer.isPresent ? pose : .unknown,
            proximity: !phone.proximitySensor.isPresent ? .unknown : isNear ? .near : .far, locale: locale,
            settings: settings)
    }
}
