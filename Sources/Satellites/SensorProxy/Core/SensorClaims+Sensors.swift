// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

extension SensorClaims {
    mutating func take(_ measurement: Measurement?, of sensor: Sensor) {
        guard var state = sensors[sensor], state.isFollowed else { return }
        state.hasReading = true
        state.backoff.reset()
        if let measurement {
            let hasChanged = measurement != (state.measurement ?? .none(of: sensor))
            let former = (state.measurement ?? .none(of: sensor)).entries
            state.measurement = measurement
            if !state.isPresent {
                // The check reports both.
                check()
            } else if state.isUnannounced {
                announce(sensor, &state)
            } else if hasChanged {
                // The unit is sent together with the level.
                let changed =
                    sensor == .light ? measurement.entries : measurement.entries.filter { !former.contains($0) }
                effects.append(.signal(changed, to: state.callers))
            }
        } else if state.isPresent {
            check()
        }
        sensors[sensor] = state
        answerClaims(of: sensor)
    }

    private mutating func announce(_ sensor: Sensor, _ state: inout SensorState) {
        state.isUnannounced = false
        let entries = [PropertyEntry(sensor.presence, .boolean(true))] + (state.measurement?.entries ?? [])
        effects.append(.signal(entries, to: state.callers))
    }

    mutating func check() {
        wantsCheck = true
        guard asking == nil, isReachable else { return }
        wantsCheck = false
        asking = later
        later = []
        effects.append(.check)
    }

    mutating func checked(_ present: Set<Sensor>?) {
        if let present {
            hasChecked = true
            for sensor in Sensor.allCases { setPresent(present.contains(sensor), sensor) }
        }
        let answered = asking ?? []
        asking = nil
        for (number, request) in answered { answer(request, number) }
        if !isReachable { answerLater() }
        if wantsCheck || !later.isEmpty { check() }
    }

    mutating func setPresent(_ isPresent: Bool, _ sensor: Sensor) {
        guard var state = sensors[sensor], state.isPresent != isPresent else { return }
        if isPresent {
            state.isPresent = true
            state.isUnannounced = !state.callers.isEmpty
            // Without a measurement, the announcement waits for the first one.
            if state.isUnannounced, state.measurement != nil { announce(sensor, &state) }
        } else {
            state.lose()
            if !state.callers.isEmpty {
                effects.append(.signal([PropertyEntry(sensor.presence, .boolean(false))], to: state.callers))
            }
        }
        sensors[sensor] = state
    }
}

extension SensorClaims {
    mutating func setReachable(_ isReachable: Bool, at now: Instant) {
        guard isReachable != self.isReachable else { return }
        self.isReachable = isReachable
        guard isReachable else {
            for sensor in Sensor.allCases { answerClaims(of: sensor) }
            if asking == nil { answerLater() }
            if sensors.values.contains(where: \.isPresent) { loss = now + Self.absenceTolerance }
            return
        }
        loss = nil
        for sensor in Sensor.allCases where sensors[sensor]?.callers.isEmpty == false { follow(sensor) }
        check()
    }

    /// Answers requests from the last known state.
    mutating func answerLater() {
        for (number, request) in later { answer(request, number) }
        later = []
    }

    /// Plans another subscription to a sensor's aspect after a refusal.
    mutating func retryLater(_ sensor: Sensor, at now: Instant) {
        guard var state = sensors[sensor], !state.callers.isEmpty else { return }
        state.retry = now + state.backoff.next(fraction: 1)
        sensors[sensor] = state
    }

    mutating func expire(at now: Instant) {
        for sensor in Sensor.allCases {
            answerClaims(of: sensor, until: now)
            guard let retry = sensors[sensor]?.retry, retry <= now else { continue }
            sensors[sensor]?.retry = nil
            follow(sensor)
        }
        if let loss, loss <= now {
            self.loss = nil
            for sensor in Sensor.allCases {
                // The next reading may equal the lost one, and would then not be delivered.
                if sensors[sensor]?.isFollowed == true { effects.append(.unfollow(sensor)) }
                sensors[sensor]?.isFollowed = false
                setPresent(false, sensor)
            }
        }
        if let end, end <= now {
            self.end = nil
            effects.append(.end)
        }
    }

    /// Plans the end of a program that nobody needs; the next request postpones it.
    mutating func planEnd(isRequest: Bool, at now: Instant) {
        let hasSensors = sensors.values.contains(where: \.isPresent)
        // A caller may be waiting for the answer of a slow bus.
        guard hasChecked, isReachable, asking == nil, !hasSensors, !hasClaims else { return end = nil }
        if end == nil && !effects.contains(.end) || isRequest { end = now + Self.idleTime }
    }
}
