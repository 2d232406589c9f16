// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// One thing that happens in a scenario.
enum ScenarioStep: Equatable {
    /// The program starts.
    case start
    case wait(Duration)
    /// Until so many subscriptions are there.
    case waitSubscribed(Int)
    /// Until whoever is awake has read what changed.
    case waitDelivered
    case level(Double, battery: Int)
    case plug
    case unplug
    case rotate(Orientation.Pose)
    case near(Bool)
    case locale(String)
    case settings(name: String, text: String)
    /// So many changes of the level, as fast as they can be made.
    case burst(Int)
    case add(ScenarioPart)
    case remove(ScenarioPart)
    /// Every subscription sleeps.
    case background
    /// Every subscription wakes.
    case foreground
    /// The bus ends and starts again.
    case restart
    /// Until the last event says so.
    case expect(Expectation)
    /// The program is told to end.
    case end

    var isExpectation: Bool {
        if case .expect = self { true } else { false }
    }

    /// Whether it needs the program that runs.
    var needsProgram: Bool {
        switch self {
        case .waitSubscribed, .waitDelivered, .background, .foreground, .end: true
        default: false
        }
    }
}

/// A part of the phone that a scenario can take out and put in.
enum ScenarioPart: Equatable {
    /// A pack by its number, from 1.
    case battery(Int)
    case charger
    case accelerometer
    case proximity

    /// The part of a name: `battery`, `battery2`, `charger`.
    init?(_ name: String) {
        switch name {
        case "battery": self = .battery(1)
        case "charger": self = .charger
        case "accelerometer": self = .accelerometer
        case "proximity": self = .proximity
        default:
            guard name.hasPrefix("battery"), let number = Int(name.dropFirst("battery".count)), number >= 2 else {
                return nil
            }
            self = .battery(number)
        }
    }
}
