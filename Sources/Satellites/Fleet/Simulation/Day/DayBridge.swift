// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleFleetCore
import ReveilleWire

/// A bridge for a day: a subscriber of the real bus, with a connection that exists only as numbers.
struct DayBridge: ~Copyable {
    /// How the bridge is connected.
    enum Mode {
        /// A message for each change, as without the bus.
        case everyChange
        /// All day; with an interval, an aspect has one message in it.
        case connected(interval: Double?)
        /// For a moment at intervals; asleep in between.
        case woken(every: Double)
    }

    /// The aspects of a device: those that are published by default, and settings.
    static let aspects: [Aspect] = [.battery, .orientation, .proximity, .defaults]
    /// The time in seconds until a message is acknowledged, over a mobile network.
    private static let roundTrip = 0.2
    /// The keep-alive of a connection in seconds, with which mobile networks keep it open.
    static let keepAlive = 900.0
    /// The state of a device that has been in use for some months, so that generations have their usual length.
    private static let age = 20_000
    /// Midnight in UTC: 2026-01-01.
    private static let midnight = 1_767_225_600.0

    private let mode: Mode
    private let id = SubscriptionID(rawValue: 1)
    private var bus: Bus
    private var traffic = DayTraffic()
    private var acknowledgedAt: Double?
    private var lastSent = 0.0
    private var nextWake: Double?
    /// The times at which the network goes and returns, in turn.
    private var outages: ArraySlice<Double> = []

    /// Returns the traffic of a day.
    ///
    /// - Parameters:
    ///   - steps: The changes of the day.
    ///   - offline: The times without a network, which only concern a bridge that is connected all day.
    ///   - mode: How the bridge is connected.
    /// - Returns: The traffic, in both directions.
    static func traffic(of steps: [PhoneDay.Step], offline: [Range<Double>], _ mode: Mode) -> DayTraffic {
        var bridge = DayBridge(mode)
        switch mode {
        case .connected, .everyChange: bridge.outages = offline.flatMap { [$0.lowerBound, $0.upperBound] }[...]
        case .woken: break
        }
        for step in steps { bridge.take(step) }
        bridge.pass(until: PhoneDay.length)
        bridge.keepAlive(until: PhoneDay.length)
        return bridge.traffic
    }

    private init(_ mode: Mode) {
        self.mode = mode
        let start = Self.timestamp(0)
        let initial: [Reading] = [
            .battery(Battery(state: .full, level: 1)), .orientation(Orientation(pose: .faceUp, planar: .portrait)),
            .proximity(.far), .defaults(Defaults(domains: [])),
        ]
        let entries = initial.enumerated().map { index, reading in
            SavedState.Entry(
                generation: Self.age + index, sequence: 4 * Self.age + index, changedAt: start,
                state: KeptReading(reading))
        }
        bus = Bus(
            restoring: SavedState(instance: DayTraffic.device, sequence: 5 * Self.age, entries: entries),
            history: 256, at: start)
        var policies: [Aspect: Policy] = [:]
        var startsInBackground = false
        switch mode {
        case .everyChange: break
        case .connected(let interval):
            guard let interval else { break }
            for aspect in Self.aspects { policies[aspect] = Policy(interval: .seconds(interval)) }
        case .woken(let pause):
            startsInBackground = true
            nextWake = pause / 2
        }
        _ = bus.subscribe(
            SubscriptionRequest(
                aspects: AspectSet(Self.aspects), startsInBackground: startsInBackground, policies: policies),
            as: id, at: start)
        bus.noteRead(by: id)
    }

    // MARK: - Time

    private static func timestamp(_ time: Double) -> Timestamp {
        Timestamp(microseconds: Int64(((midnight + time) * 1e6).rounded()))
    }

    private static func microseconds(_ time: Double) -> UInt64 { UInt64((time * 1e6).rounded()) }

    private mutating func take(_ step: PhoneDay.Step) {
        pass(until: step.time)
        guard bus.report(step.reading, at: Self.timestamp(step.time)) else { return }
        // Without merging, each change is read at once.
        if case .everyChange = mode { acknowledge() }
        deliver(at: step.time)
    }

    /// Lets time pass, with everything that is due.
    private mutating func pass(until end: Double) {
        while true {
            let paced = bus.nextPaced.map { Double($0) / 1e6 }
            guard let next = [paced, acknowledgedAt, nextWake, outages.first].compactMap(\.self).min(), next <= end
            else { return }
            if next == nextWake, case .woken(let pause) = mode {
                nextWake = next + pause
                wake(at: next)
            } else if next == outages.first {
                setOnline(outages.count.isMultiple(of: 2) == false, at: next)
                outages.removeFirst()
            } else if next == acknowledgedAt {
                acknowledge()
            } else {
                bus.advance(to: bus.nextPaced ?? 0)
            }
            deliver(at: next)
        }
    }

    // MARK: - Messages

    private static let names = aspects.map(\.name).sorted()
    private static let birth = StatusMessage(
        isOnline: true, instance: DayTraffic.device, aspects: names, version: "0.1.0")

    private mutating func setOnline(_ isOnline: Bool, at time: Double) {
        if isOnline { traffic.connect(Self.birth) }
        // An outbox takes each change all the same.
        if case .everyChange = mode { return }
        guard isOnline else { return bus.hold(.app, on: id, at: Self.timestamp(time)) }
        bus.release(.app, from: id, at: Self.timestamp(time))
    }

    private mutating func wake(at time: Double) {
        traffic.connect(Self.birth)
        bus.release(.app, from: id, at: Self.timestamp(time))
        deliver(at: time)
        acknowledge()
        bus.hold(.app, on: id, at: Self.timestamp(time))
        guard case .woken(let pause) = mode else { return }
        traffic.disconnect(
            StatusMessage(
                isOnline: false, reason: .asleep, instance: DayTraffic.device, aspects: Self.names, version: "0.1.0",
                wakeEvery: Int64(pause)))
    }

    private mutating func acknowledge() {
        acknowledgedAt = nil
        bus.noteRead(by: id)
    }

    private mutating func deliver(at time: Double) {
        while acknowledgedAt == nil, let delivery = bus.nextDelivery(at: Self.microseconds(time)) {
            keepAlive(until: time)
            for event in delivery.events {
                traffic.publish(
                    StateMessage(
                        instance: DayTraffic.device, generation: Int64(event.generation), changes: Int64(event.changes),
                        changedAt: event.changedAt.microseconds, value: ReadingCoding.encode(event.reading)),
                    of: event.aspect.name)
            }
            acknowledgedAt = time + Self.roundTrip
        }
    }

    /// Adds the keep-alives since the last message of a connection.
    private mutating func keepAlive(until time: Double) {
        if case .woken = mode { return }
        traffic.ping(Int((time - lastSent) / Self.keepAlive))
        lastSent = time
    }
}
