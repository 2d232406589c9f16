// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A step of a scenario.
enum ScenarioStep: Equatable {
    case start
    case wait(Duration)
    /// Waits until a number of subscriptions exist.
    case waitSubscribed(Int)
    /// Waits until every subscriber that is awake has read all changes.
    case waitDelivered
    case level(Double, battery: Int)
    /// Sets the power of a battery in watts.
    case power(Double, battery: Int)
    case plug
    case unplug
    case rotate(Orientation.Pose)
    case near(Bool)
    /// The light around the phone, in lux.
    case light(Double)
    case brightness(Double)
    /// Connects to a network; `nil` disconnects.
    case network(Network.Kind?)
    /// Sets the acceleration, in g.
    case accelerate(Motion.Vector)
    /// Sets the rotation, in radians per second.
    case spin(Motion.Vector)
    case locale(String)
    case settings(name: String, text: String)
    /// Writes a file below `~/Documents`.
    case document(name: String, text: String)
    case renameDocument(String, to: String)
    case removeDocument(String)
    /// Changes the level a number of times, as fast as possible.
    case burst(Int)
    case add(ScenarioPart)
    case remove(ScenarioPart)
    /// Publishes or withdraws the state of a name.
    case publish(PublishedValue)
    /// Sends every subscription to the background.
    case background
    /// Returns every subscription to the foreground.
    case foreground
    case restart
    /// Waits until the last event of an aspect meets an expectation.
    case expect(Expectation)
    /// Ends the program with SIGTERM.
    case end

    var isExpectation: Bool { expectation != nil }

    var expectation: Expectation? {
        if case .expect(let expectation) = self { expectation } else { nil }
    }

    /// The aspect that the step changes, if a timeline can show it.
    var aspect: Aspect? {
        switch self {
        case .level, .plug, .unplug, .burst: .battery
        case .power: .power
        case .rotate: .orientation
        case .near: .proximity
        case .light: .light
        case .brightness: .display
        case .network: .network
        case .locale: .locale
        case .settings: .defaults
        case .publish(let value): value.name
        // Their samples and names are too many for a timeline.
        case .accelerate, .spin, .document, .renameDocument, .removeDocument: nil
        case .start, .wait, .waitSubscribed, .waitDelivered, .add, .remove, .background, .foreground, .restart,
            .expect, .end:
            nil
        }
    }

    /// Whether the step is allowed only after `start`.
    var needsProgram: Bool {
        switch self {
        case .waitSubscribed, .waitDelivered, .background, .foreground, .end: true
        default: false
        }
    }
}

/// A part of the phone that a scenario can add and remove.
enum ScenarioPart: Equatable {
    /// A pack, numbered from 1.
    case battery(Int)
    case charger
    case accelerometer
    case gyroscope
    case proximity
    case light
    case monitor

    /// Parses the name of a part: `battery`, `battery2`, `charger`.
    init?(_ name: String) {
        switch name {
        case "battery": self = .battery(1)
        case "charger": self = .charger
        case "accelerometer": self = .accelerometer
        case "gyroscope": self = .gyroscope
        case "proximity": self = .proximity
        case "light": self = .light
        case "monitor": self = .monitor
        default:
            guard name.hasPrefix("battery"), let number = Int(name.dropFirst("battery".count)), number >= 2 else {
                return nil
            }
            self = .battery(number)
        }
    }
}
