// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import ReveilleTesting

enum ScenarioStep {
    case start
    case wait(Duration)
    /// Waits until a number of subscriptions exist.
    case waitSubscribed(Int)
    /// Waits until every subscriber that is awake has read all changes.
    case waitDelivered
    /// Changes the phone, and the state of an aspect if a timeline can show it.
    case change(Aspect?, (SyntheticPhone) throws -> Void)
    /// Lets the phone sleep, and wakes it.
    case sleep(Duration)
    /// Changes the level a number of times, as fast as possible.
    case burst(Int)
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

    var expectation: Expectation? {
        if case .expect(let expectation) = self { expectation } else { nil }
    }

    /// The aspect that the step changes, if a timeline can show it.
    var aspect: Aspect? {
        switch self {
        case .change(let aspect, _): aspect
        case .sleep: .sleep
        case .burst: .battery
        case .publish(let value): value.name
        default: nil
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
enum ScenarioPart {
    /// A pack, numbered from 1.
    case battery(Int)
    case device(@Sendable (SyntheticPhone) -> SyntheticPart)

    private static let devices: KeyValuePairs<String, @Sendable (SyntheticPhone) -> SyntheticPart> = [
        "charger": { $0.charger }, "accelerometer": { $0.accelerometer }, "gyroscope": { $0.gyroscope },
        "proximity": { $0.proximitySensor }, "light": { $0.lightSensor }, "monitor": { $0.monitor },
        "lid": { $0.lid }, "tablet": { $0.tabletMode }, "dock": { $0.dock },
    ]

    static let names = ["battery", "battery2", "..."] + devices.map(\.key)

    init?(_ name: String) {
        if let device = Self.devices.first(where: { $0.key == name }) {
            self = .device(device.value)
        } else if name == "battery" {
            self = .battery(1)
        } else {
            guard name.hasPrefix("battery"), let number = Int(name.dropFirst("battery".count)), number >= 2 else {
                return nil
            }
            self = .battery(number)
        }
    }

    func add(to phone: SyntheticPhone) throws {
        if case .battery(phone.batteries.count + 1) = self { try phone.addBattery() } else { try on(phone).insert() }
    }

    func remove(from phone: SyntheticPhone) throws { try on(phone).remove() }

    private func on(_ phone: SyntheticPhone) throws(Failure) -> SyntheticPart {
        switch self {
        case .battery(let number): try Self.battery(number, of: phone)
        case .device(let part): part(phone)
        }
    }

    static func battery(_ number: Int, of phone: SyntheticPhone) throws(Failure) -> SyntheticBattery {
        let count = phone.batteries.count
        guard number <= count else {
            throw Failure(.configuration, "battery\(number) does not exist; the next to add is battery\(count + 1)")
        }
        return phone.batteries[number - 1]
    }
}
