// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

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
