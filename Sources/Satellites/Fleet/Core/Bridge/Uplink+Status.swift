// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

extension Uplink {
    /// The last status of a connection.
    struct StatusTrack: Sendable {
        var sent: StatusMessage?
        var isInFlight = false
        /// The aspects that the status lists; they change only when no states are under way.
        var aspects: [String] = []
        /// The desired values that the bus has taken.
        var taken: [String: FleetPosition] = [:]
    }

    package static var will: StatusMessage { StatusMessage(isOnline: false, reason: .lost) }

    /// The aspects whose states the broker has.
    var heldAspects: [String] { entries.filter { $0.value.isHeld && !$0.value.isRemoved }.keys.sorted() }

    package var isConnected: Bool { phase == .online || phase == .leaving }

    /// The aspects whose states the last status has reported.
    package var publishedAspects: [String] { status.aspects }

    var currentStatus: StatusMessage {
        let reason: StatusMessage.Reason? =
            phase == .leaving ? (isStopping ? .stopped : .asleep) : bus == .absent ? .noBus : nil
        return StatusMessage(
            isOnline: phase != .leaving, reason: reason, instance: instance.isEmpty ? nil : instance,
            aspects: status.aspects, taken: status.taken, version: version,
            wakeEvery: configuration.wakeEvery.map { $0.components.seconds },
            wakesAt: phase == .leaving && !isStopping ? absence.wakesAt : nil)
    }

    mutating func sendStatus(_ effects: inout [Effect]) {
        status.sent = currentStatus
        status.isInFlight = true
        effects.append(
            .publish(
                .status, topic: FleetTopic.status(device).text, payload: currentStatus.bytes,
                expiry: StatusMessage.lease))
    }

    /// Whether the broker has, or has refused, every state of the bus, which is there.
    private var isSettled: Bool {
        reading == nil && bus == .present && stale.isEmpty
            && entries.values.allSatisfy { $0.inFlight == nil && ($0.pending == nil || $0.isRefused) }
    }

    /// Takes the steps that are possible once everything is on the broker, and keeps the status up to date.
    mutating func settle(_ effects: inout [Effect]) {
        guard phase == .online else { return }
        if isSettled {
            if !isComplete, entries.values.allSatisfy({ $0.isHeld || $0.isRefused }) {
                isComplete = true
                effects.append(.save(isUrgent: false))
            }
            status.aspects = heldAspects
            if configuration.wakeEvery != nil, hasDesired { return sayGoodbye(&effects) }
        }
        if !status.isInFlight, status.sent != currentStatus { sendStatus(&effects) }
    }

    /// The time until the next wake, at moments that differ between devices so that a fleet does not wake at once.
    func timeUntilWake(at now: Int64) -> Duration {
        let interval = max(1, Int64((configuration.wakeEvery ?? Self.patience) / .microseconds(1)))
        // Unlike Swift's hashes, a digest is equal on each start.
        let offset = Int64(Digest(of: Array(device.text.utf8)).value % UInt64(interval))
        let rest = (now - offset) % interval
        return .microseconds(interval - (rest < 0 ? rest + interval : rest))
    }
}
