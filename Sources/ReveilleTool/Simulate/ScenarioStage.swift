// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import ReveilleWire

/// The phone of a scenario and its bus: does a step that takes no time.
final class ScenarioStage {
    let phone: SyntheticPhone
    private let bus: PhoneBus
    private let address: UnixAddress
    private let reader: ScenarioReader?

    /// Makes a phone, and a subscriber of its own if something is expected.
    init(for scenario: Scenario) throws {
        phone = try SyntheticPhone()
        bus = try phone.startBus()
        address = try UnixAddress(bus.address)
        reader = try scenario.lines.contains { $0.step.isExpectation } ? ScenarioReader(address) : nil
    }

    /// Does a step; nothing for those that wait or concern the program.
    func perform(_ step: ScenarioStep) throws {
        try change(by: step)
        try read()
    }

    private func change(by step: ScenarioStep) throws {
        switch step {
        case .level(let level, let number): try battery(number).setLevel(level)
        case .plug: try phone.plugIn()
        case .unplug: try phone.unplug()
        case .rotate(let pose): try phone.rotate(to: pose)
        case .near(let isNear): try phone.setNear(isNear)
        case .locale(let name): try phone.setLocale(name)
        case .settings(let name, let text): try phone.writeSettings(text, to: name)
        case .add(.battery(phone.batteries.count + 1)): try phone.addBattery()
        case .add(let part): try device(part).insert()
        case .remove(let part): try device(part).remove()
        case .background: try setStates(isInBackground: true)
        case .foreground: try setStates(isInBackground: false)
        case .restart:
            try bus.restart()
            try reader?.reconnect()
        case .start, .wait, .waitSubscribed, .waitDelivered, .burst, .expect, .end: break
        }
    }

    /// Has the scenario's own subscriber read the event of a step before the next step is done.
    private func read() throws {
        guard let reader else { return }
        let deadline = ContinuousClock.now + Patience().answer
        repeat {
            try reader.read()
            guard ContinuousClock.now < deadline else { throw Failure(.timeout, "the bus does not deliver what it read") }
        } while try !subscribers().allSatisfy { !isOwn($0) || $0.isUpToDate }
    }

    /// What the last event of an expectation's aspect says instead; `nil` when it says what is expected.
    func contradiction(to expectation: Expectation) throws -> String? {
        try read()
        guard try isDelivered() else { return "not everything was read" }
        guard let event = reader?.last[expectation.aspect] else { return "nothing was told of \(expectation.aspect)" }
        return expectation.holds(for: event) ? nil : "the last event says \(expectation.found(in: event))"
    }

    /// How many subscriptions there are, without the scenario's own.
    func subscriptionCount() throws -> Int {
        try subscribers().count { !isOwn($0) }
    }

    /// Makes the bus read everything now.
    func refresh() throws {
        _ = try BlockingClient(address).call(.refresh)
    }

    /// Whether each subscription that is not asleep has read all that changed.
    func isDelivered() throws -> Bool {
        try subscribers().allSatisfy(\.isUpToDate)
    }

    private func isOwn(_ subscriber: Subscriber) -> Bool {
        subscriber.id == reader?.subscription
    }

    private func subscribers() throws -> [Subscriber] {
        try BlockingClient(address).call(.listSubscriptions, expecting: ListSubscriptionsReply.self).subscribers
    }

    private func setStates(isInBackground: Bool) throws {
        for subscriber in try subscribers() {
            _ = try BlockingClient(address).call(.setState(subscription: subscriber.id, background: isInBackground))
        }
    }

    private func battery(_ number: Int) throws -> SyntheticBattery {
        let count = phone.batteries.count
        guard number <= count else {
            throw Failure(.configuration, "there is no battery\(number); the next to add is battery\(count + 1)")
        }
        return phone.batteries[number - 1]
    }

    private func device(_ part: ScenarioPart) throws -> SyntheticPart {
        switch part {
        case .battery(let number): try battery(number)
        case .charger: phone.charger
        case .accelerometer: phone.accelerometer
        case .proximity: phone.proximitySensor
        }
    }
}
