// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The claims and the properties of `net.hadess.SensorProxy`.
///
/// Pure: inputs with a time go in, effects come out. A claim subscribes to the sensor's aspect, and the end of the last
/// claim cancels the subscription. The bus is asked for the device's sensors only when a client wants to know, so
/// nothing happens without claims and requests.
package struct SensorClaims: Sendable {
    /// How long a claim waits for its first reading: a sensor may take a second, and clients wait 25 seconds.
    package static let claimTimeout: Duration = .seconds(3)
    /// How long the properties stay unchanged while the bus is away.
    ///
    /// A bus that is restarted or upgraded must not rotate a screen. After this time the bus may be gone for long, and
    /// a sensor that last reported something near must not keep a screen dark.
    package static let absenceTolerance: Duration = .seconds(30)
    /// How long the program runs unused: enough to reload a driver, and for a starting desktop that asks several times.
    package static let idleTime: Duration = .seconds(10)

    package typealias Instant = ContinuousClock.Instant

    var sensors = Dictionary(uniqueKeysWithValues: Sensor.allCases.map { ($0, SensorState()) })
    var isReachable = true
    /// The requests that the bus is being asked for, and later requests that need another answer.
    var asking: [(number: Int, request: SensorRequest)]?
    var later: [(number: Int, request: SensorRequest)] = []
    var wantsCheck = false
    var hasChecked = false
    private var isWatchingCallers = false
    /// When the sensors of a bus that is away are lost.
    var loss: Instant?
    /// When the program ends.
    var end: Instant?
    var effects: [Effect] = []

    /// Creates the state before the first check, in which the device has no sensors.
    package init() {}

    /// When ``Input/expired`` is due; `nil` for never.
    package var deadline: Instant? {
        ([loss, end] + sensors.values.flatMap { [$0.retry] + $0.waiting.map(\.deadline) }).compactMap { $0 }.min()
    }

    package mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        effects = []
        var isRequest = false
        switch input {
        case .request(let request, let caller, let number):
            isRequest = true
            carryOut(request, from: caller, number, at: now)
        case .left(let caller): for sensor in Sensor.allCases { release(sensor, of: caller, hasLeft: true) }
        case .checked(let present): checked(present)
        case .reading(let sensor, let measurement): take(measurement, of: sensor)
        case .unfollowed(let sensor):
            sensors[sensor]?.isFollowed = false
            answerClaims(of: sensor)
            retryLater(sensor, at: now)
        case .reachable(let isReachable): setReachable(isReachable, at: now)
        case .expired: expire(at: now)
        }
        watchCallers()
        planEnd(isRequest: isRequest, at: now)
        return effects
    }

    package mutating func begin() -> [Effect] {
        effects = []
        check()
        return effects
    }

    // MARK: - Requests

    private mutating func carryOut(_ request: SensorRequest, from caller: String, _ number: Int, at now: Instant) {
        switch request {
        case .claim(let sensor): claim(sensor, for: caller, number, at: now)
        case .release(let sensor):
            release(sensor, of: caller, hasLeft: false)
            effects.append(.answer(number, .done))
        case .get(let property) where !property.isPresence: answer(request, number)
        case .get, .getAll:
            guard isReachable else { return answer(request, number) }
            later.append((number, request))
            check()
        case .answer(let answer): effects.append(.answer(number, answer))
        }
    }

    mutating func answer(_ request: SensorRequest, _ number: Int) {
        switch request {
        case .get(let property): effects.append(.answer(number, .value(value(of: property))))
        case .getAll:
            let entries = SensorProperty.allCases.map { PropertyEntry($0, value(of: $0)) }
            effects.append(.answer(number, .values(entries)))
        case .claim, .release: effects.append(.answer(number, .done))
        case .answer(let answer): effects.append(.answer(number, answer))
        }
    }

    package func value(of property: SensorProperty) -> PropertyValue {
        // Each property is of one sensor.
        sensors.lazy.compactMap { sensor, state in state.value(of: property, sensor) }.first ?? .boolean(false)
    }

    private mutating func claim(_ sensor: Sensor, for caller: String, _ number: Int, at now: Instant) {
        guard sensors[sensor]?.callers.insert(caller).inserted == true else {
            return effects.append(.answer(number, .done))
        }
        // Before the question, to notice a caller that leaves in between.
        watchCallers()
        effects.append(.verify(caller))
        let isFirst = follow(sensor)
        if sensors[sensor]?.isFollowed == true && sensors[sensor]?.hasReading == false {
            let waiting = SensorState.Waiting(request: number, caller: caller, deadline: now + Self.claimTimeout)
            sensors[sensor]?.waiting.append(waiting)
        } else {
            effects.append(.answer(number, .done))
        }
        if isFirst { check() }
    }

    /// Subscribes to a sensor's aspect unless there is a subscription; without a bus, the subscription follows when the
    /// bus returns.
    @discardableResult
    mutating func follow(_ sensor: Sensor) -> Bool {
        guard isReachable, sensors[sensor]?.isFollowed == false else { return false }
        sensors[sensor]?.isFollowed = true
        sensors[sensor]?.hasReading = false
        sensors[sensor]?.retry = nil
        effects.append(.follow(sensor))
        return true
    }

    mutating func release(_ sensor: Sensor, of caller: String, hasLeft: Bool) {
        guard var state = sensors[sensor], state.callers.remove(caller) != nil else { return }
        for waiting in state.waiting where waiting.caller == caller {
            effects.append(hasLeft ? .forget(waiting.request) : .answer(waiting.request, .done))
        }
        state.waiting.removeAll { $0.caller == caller }
        if state.callers.isEmpty {
            state.isUnannounced = false
            if state.isFollowed { effects.append(.unfollow(sensor)) }
            state.isFollowed = false
            state.retry = nil
            state.backoff.reset()
        }
        sensors[sensor] = state
    }

    mutating func answerClaims(of sensor: Sensor, until deadline: Instant? = nil) {
        let isDue = { (waiting: SensorState.Waiting) in deadline.map { waiting.deadline <= $0 } ?? true }
        for waiting in sensors[sensor]?.waiting ?? [] where isDue(waiting) {
            effects.append(.answer(waiting.request, .done))
        }
        sensors[sensor]?.waiting.removeAll(where: isDue)
    }

    var hasClaims: Bool { sensors.values.contains { !$0.callers.isEmpty } }

    private mutating func watchCallers() {
        guard hasClaims != isWatchingCallers else { return }
        isWatchingCallers.toggle()
        effects.append(.watchCallers(isWatchingCallers))
    }
}
