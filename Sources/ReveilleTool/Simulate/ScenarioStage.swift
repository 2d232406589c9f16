// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleLink
import ReveilleSystem
import ReveilleTesting
import ReveilleWire

/// A scenario's phone and bus, and the steps that change them.
final class ScenarioStage {
    let phone: SyntheticPhone
    private let bus: PhoneBus
    private let address: UnixAddress
    private let reader: ScenarioReader?
    /// What they subscribe to; not to all names, since a subscriber changes what publishers and the schedule do.
    private let aspects: AspectSet
    /// The subscriber that stays awake, for a timeline or a narration.
    private let observer: ScenarioReader?
    private let narration: Narration?
    /// The time of the scenario in seconds: the sum of its pauses.
    private(set) var time = 0.0 {
        didSet { timeline?.record(awake: [], asleep: [], at: time) }
    }
    private(set) var timeline: Timeline?

    /// Creates a phone and its bus, and a subscriber if the scenario has expectations, or is recorded or narrated.
    init(for scenario: Scenario, recordsTimeline: Bool, narration: Narration?) throws {
        phone = try SyntheticPhone()
        bus = try phone.startBus()
        address = try UnixAddress(bus.address)
        self.narration = narration
        let isObserved = recordsTimeline || narration != nil
        let expected = scenario.lines.compactMap(\.step.expectation).map(\.aspect)
        aspects = AspectSet(expected + (isObserved ? scenario.recordedAspects : [])).union(.default)
        reader = try expected.isEmpty && !isObserved ? nil : ScenarioReader(address, of: aspects)
        observer = try isObserved ? ScenarioReader(address, of: aspects, name: "reveille simulate, awake") : nil
        timeline = recordsTimeline ? Timeline(title: scenario.title) : nil
        timeline?.begin(with: observer.map { Array($0.last.values) } ?? [])
        observer?.onEvents = { [unowned self] in try take(awake: $0, asleep: []) }
        reader?.onEvents = { [unowned self] in try take(awake: [], asleep: $0) }
    }

    private func take(awake: [Event], asleep: [Event]) throws {
        timeline?.record(awake: awake, asleep: asleep, at: time)
        try narration?.print(awake: awake, asleep: asleep)
    }

    /// Lets a pause of the scenario pass, and records the deliveries meanwhile.
    func pass(_ pause: Duration) throws {
        time += pause / .seconds(1)
        if timeline != nil { try read() }
    }

    /// Performs a step, unless it waits or concerns the program.
    func perform(_ step: ScenarioStep) throws {
        switch step {
        case .change(_, let change): try change(phone)
        case .sleep(let length):
            // Nobody else reads for the scenario's own subscribers, for which the sleep waits.
            try phone.sleep(for: length) {
                _ = try? reader?.read()
                _ = try? observer?.read()
            }
        case .publish(let value): try BlockingClient(address).publish(value)
        case .background: try setStates(isInBackground: true)
        case .foreground: try setStates(isInBackground: false)
        case .restart:
            try bus.restart()
            try reader?.reconnect()
            try observer?.reconnect()
            timeline?.wake(at: time)
        case .start, .wait, .waitSubscribed, .waitDelivered, .burst, .expect, .end: break
        }
        try read()
    }

    /// Waits until the scenario's own subscriber has read the events of the current step.
    private func read() throws {
        guard reader != nil else { return }
        timeline?.record(awake: [], asleep: [], at: time)
        let deadline = ContinuousClock.now + Patience().answer
        repeat {
            try reader?.read()
            try observer?.read()
            guard ContinuousClock.now < deadline else {
                throw Failure(.timeout, "the bus did not deliver a change in time")
            }
        } while try !subscribers().allSatisfy { !isOwn($0) || $0.isUpToDate }
    }

    /// Returns the reason why an expectation is not met; `nil` if it is met.
    func contradiction(to expectation: Expectation) throws -> String? {
        try read()
        guard try isDelivered() else { return "a subscriber has not read all changes" }
        guard let event = reader?.last[expectation.aspect] else { return "no event for \(expectation.aspect)" }
        return expectation.holds(for: event) ? nil : "the last event is \(expectation.found(in: event))"
    }

    /// Returns the number of subscriptions, without the scenario's own.
    func subscriptionCount() throws -> Int {
        try subscribers().count { !isOwn($0) }
    }

    /// The names that have changed without a lane in the timeline.
    func unrecordedNames() throws -> [String] {
        guard timeline != nil else { return [] }
        let changed = try BlockingClient(address).call(GetLog()).compactMap(\.aspect)
        return Set(changed.filter { $0.isPublished && !$0.isOwn && !aspects.contains($0) }).map(\.name).sorted()
    }

    func refresh() throws {
        _ = try BlockingClient(address).call(Refresh())
    }

    /// Returns whether every subscription that is awake has read all changes.
    func isDelivered() throws -> Bool {
        try subscribers().allSatisfy(\.isUpToDate)
    }

    private func isOwn(_ subscriber: SubscriptionInfo) -> Bool {
        [reader, observer].contains { $0?.subscription == subscriber.id }
    }

    private func subscribers() throws -> [SubscriptionInfo] {
        try BlockingClient(address).call(ListSubscriptions()).subscriptions
    }

    private func setStates(isInBackground: Bool) throws {
        isInBackground ? timeline?.fallAsleep(at: time) : timeline?.wake(at: time)
        for subscriber in try subscribers() where subscriber.id != observer?.subscription {
            _ = try BlockingClient(address).call(
                SetState(subscription: subscriber.id, to: isInBackground ? .background : .foreground))
        }
    }
}
