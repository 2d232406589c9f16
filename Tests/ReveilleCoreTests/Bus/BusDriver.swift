// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A driver of a bus, with a clock that advances and peers that read their replies.
final class BusDriver {
    var bus: Bus
    private(set) var now = Timestamp(microseconds: 1_000)
    private var lastID: UInt64 = 0

    /// Creates a driver of a bus whose sources have not been read since it was started.
    init(restoring state: SavedState, history: Int = 256) {
        bus = Bus(restoring: state, history: history, at: now)
    }

    /// Creates a driver of a new bus whose sources have all been read.
    convenience init(history: Int = 256) {
        self.init(restoring: SavedState(instance: "one"), history: history)
        for aspect in BuiltInAspect.ofDevice where aspect.kind == .state {
            bus.report(.first(Aspect(aspect)), at: now)
        }
    }

    /// Advances the clock, and the bus as often as it asks for.
    func pass(_ microseconds: Int64) {
        now = Timestamp(microseconds: now.microseconds + microseconds)
        if let next = bus.nextPaced, next <= clock { bus.advance(to: clock) }
    }

    /// The time of the clock, which is also the time since boot.
    var clock: UInt64 { UInt64(now.microseconds) }

    /// Reports a reading of an aspect's source, one millisecond later.
    @discardableResult
    func report(_ reading: Reading) -> Timestamp {
        pass(1_000)
        bus.report(reading, at: now)
        return now
    }

    @discardableResult
    func post(_ reading: Reading) -> Bool {
        pass(1_000)
        return bus.post(reading, at: now)
    }

    /// Publishes a value of a name, or withdraws it, one millisecond later.
    @discardableResult
    func publish(
        _ name: Aspect, _ json: String?, by publisher: Publisher = Publisher(user: 1), target: Int? = nil
    ) -> Bool {
        pass(1_000)
        return bus.publish(name, json.map { Array($0.utf8) }, by: publisher, at: now, target: target)
    }

    func restart() {
        bus = Bus(restoring: bus.savedState, history: bus.history, at: now)
    }

    func subscribe(_ request: SubscriptionRequest = SubscriptionRequest()) -> SubscriptionID {
        start(request).id
    }

    func start(_ request: SubscriptionRequest) -> (id: SubscriptionID, start: SubscriptionStart) {
        lastID += 1
        let id = SubscriptionID(rawValue: lastID)
        let start = bus.subscribe(request, as: id, at: now)
        bus.noteRead(by: id)
        return (id, start)
    }

    func resume(_ positions: [Aspect: Int], of instance: String? = "one") -> SubscriptionStart {
        start(SubscriptionRequest(instance: instance, positions: positions)).start
    }

    func nextDelivery() -> Delivery? { bus.nextDelivery(at: clock) }

    /// Returns all deliveries that are due, reading each reply before the next.
    func read() -> [Delivery] {
        var deliveries: [Delivery] = []
        while let delivery = nextDelivery() {
            deliveries.append(delivery)
            bus.noteRead(by: delivery.subscription)
        }
        return deliveries
    }

    func events(of id: SubscriptionID) -> [Event] {
        read().filter { $0.subscription == id }.flatMap(\.events)
    }

    /// Reports readings while a subscriber is in the background, and returns the events that it reads afterward.
    func wake(_ id: SubscriptionID, after readings: Reading...) -> [Event] {
        background(id)
        for reading in readings { report(reading) }
        foreground(id)
        return events(of: id)
    }

    func background(_ id: SubscriptionID, _ reason: HoldReasons = .app) { bus.hold(reason, on: id, at: now) }
    func foreground(_ id: SubscriptionID, _ reason: HoldReasons = .app) { bus.release(reason, from: id, at: now) }

    func state(_ aspect: Aspect) -> Event {
        // The state of a copy: asking this bus would note that the state was returned.
        var copy = Bus(restoring: bus.savedState, history: 1, at: now)
        return copy.state(of: aspect, at: now)
    }

    func lifecycle(of id: SubscriptionID) -> Lifecycle? { bus.lifecycle(of: id) }
    func hasReadLifecycle(_ id: SubscriptionID) -> Bool { bus.hasReadLifecycle(id) }
    func hasForegroundSubscriber(_ aspect: BuiltInAspect) -> Bool { bus.hasForegroundSubscriber(aspect) }

    func status(_ id: SubscriptionID) -> SubscriptionInfo? {
        bus.slot(of: id).flatMap { bus.subscriber(in: $0, processID: 1, userID: 1) }
    }

    var violations: [String] { BusConsistency(of: bus).violations }

    func pending(_ id: SubscriptionID, _ aspect: Aspect) -> Int { status(id)?.pending[aspect] ?? 0 }

    // MARK: - Values of the bus, which cannot be copied into an expectation

    var sampleInterval: Duration? { bus.sampleInterval(of: .motion) }
    var savedSequence: Int { bus.savedState.sequence }
    var sequence: Int { bus.sequence }
    var hasReady: Bool { bus.hasReady }
    var hasForgotten: Bool { bus.hasForgottenNames }

    func hasRoom(for request: SubscriptionRequest, of user: UInt32) -> Bool {
        request.domains.map { bus.hasRoom(for: $0, of: user) } ?? true
    }

    func mustSave(_ aspect: BuiltInAspect) -> Bool { bus.mustSaveChange(of: aspect) }
    func isPosted(_ aspect: BuiltInAspect) -> Bool { bus.isPosted(aspect) }
    func current(_ aspect: Aspect) -> Event { bus.state(of: aspect, at: now) }
}

extension Reading {
    static func level(
        _ percent: Int, _ state: Battery.State = .unplugged, supply: Battery.Supply? = nil
    ) -> Reading {
        .battery(
            Battery(
                state: state, level: Double(percent) / 100, isPlugged: state != .unplugged,
                chargeStatus: state == .unplugged ? .discharging : .charging, packs: [], supply: supply))
    }

    static func sample(_ x: Double, at time: Int64 = 0) -> Reading {
        .motion(
            Motion(
                acceleration: Motion.Vector(x: x, y: 0, z: -1), rotation: nil,
                takenAt: Timestamp(microseconds: time)))
    }

    static func shake(_ peak: Double) -> Reading { .shake(Shake(peak: peak)) }

    static func language(_ identifier: String) -> Reading {
        var locale = LocaleSettings.posix
        locale.identifier = identifier
        return .locale(locale)
    }

    static func pose(_ pose: Orientation.Pose) -> Reading {
        .orientation(Orientation(pose: pose, planar: pose.isPlanar ? pose : nil))
    }

    static func settings(_ domains: [String: [String: UInt64]], opaque: Set<String> = []) -> Reading {
        .defaults(
            Defaults(
                domains: domains.map { name, values in
                    .init(name: name, path: "/" + name, values: values, isOpaque: opaque.contains(name))
                }))
    }

    static func first(_ aspect: Aspect) -> Reading {
        switch aspect {
        case .locale: .language("en_US")
        case .battery: .level(81)
        case .proximity: .proximity(.far)
        case .orientation: .pose(.portrait)
        default: .unknown(aspect)
        }
    }
}
