// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

extension BusServer {
    /// Sets a hold, and cancels a wake from it that still waits for a sample.
    func hold(_ reason: HoldReasons, on target: Connection) {
        guard let id = target.subscription else { return }
        target.waking.remove(reason)
        changeHolds(of: id, target) { bus.hold(reason, on: id, at: now) }
        turn.demandHasChanged = true
    }

    /// Clears a hold, after a fresh sample if no other hold remains; a `nil` phase leaves the lifecycle unchanged.
    func wake(
        _ target: Connection, from reason: HoldReasons, into phase: LifecyclePhase? = nil,
        then completion: @escaping () -> Void
    ) {
        guard let id = target.subscription, let holds = bus.holds(of: id) else { return completion() }
        let wakes = holds.contains(reason) && holds.subtracting(reason).isDisjoint(with: .background)
        target.waking.insert(reason)
        watchers.freshen(wakes ? target.aspects : [], isStaying: true) { [weak self] in
            guard let self else { return completion() }
            // It may have been held again during the sample.
            if target.waking.remove(reason) != nil {
                changeHolds(of: id, target) { self.bus.release(reason, from: id, into: phase, at: self.now) }
            }
            turn.demandHasChanged = true
            completion()
        }
    }

    func isInBackground(_ connection: Connection) -> Bool {
        connection.subscription.map { bus.isSentToBackground($0) } ?? false
    }

    /// Changes the holds of a subscription, and notifies the features if it goes to the background or comes back.
    private func changeHolds(of id: SubscriptionID, _ connection: Connection, _ change: () -> Void) {
        let wasInBackground = bus.isSentToBackground(id)
        let before = areChangesFollowed ? bus.standing(of: id) : nil
        change()
        if let before, let after = bus.standing(of: id), after != before { changed(id) }
        let isInBackground = bus.isSentToBackground(id)
        if wasInBackground != isInBackground { moved(connection, toForeground: !isInBackground) }
    }

    /// Holds or wakes the subscriber on a stream, whose process a simulation freezes or thaws.
    package func setFrozen(_ isFrozen: Bool, stream number: Int32) {
        guard let connection = subscribers.connections.first(where: { $0.stream.number == number }) else { return }
        parts.suspensions.setFrozen(isFrozen, connection)
    }
}
