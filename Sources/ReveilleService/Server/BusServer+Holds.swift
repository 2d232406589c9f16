// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

extension BusServer {
    func hold(_ reason: HoldReasons, on target: Connection) {
        changeHolds(of: target) { bus.hold(reason, on: $0, at: now) }
    }

    /// Clears a hold; a `nil` phase leaves the lifecycle unchanged.
    func release(_ reason: HoldReasons, on target: Connection, into phase: LifecyclePhase?) {
        changeHolds(of: target) { bus.release(reason, from: $0, into: phase, at: now) }
    }

    func isInBackground(_ connection: Connection) -> Bool {
        connection.subscription.map { bus.isSentToBackground($0) } ?? false
    }

    /// Changes the holds of a subscription, and notifies the features if it goes to the background or comes back.
    private func changeHolds(of connection: Connection, _ change: (SubscriptionID) -> Void) {
        guard let id = connection.subscription else { return }
        let wasInBackground = bus.isSentToBackground(id)
        let before = areChangesFollowed ? bus.standing(of: id) : nil
        change(id)
        turn.demandHasChanged = true
        if let before, let after = bus.standing(of: id), after != before { changed(id) }
        let isInBackground = bus.isSentToBackground(id)
        if wasInBackground != isInBackground { moved(connection, toForeground: !isInBackground) }
    }

    /// Holds or wakes the subscriber on a stream, whose process a simulation freezes or thaws.
    package func setFrozen(_ isFrozen: Bool, stream number: Int32) {
        guard let connection = connections.subscribers.connections.first(where: { $0.stream.number == number }) else {
            return
        }
        noteFrozen(isFrozen, nil, [connection])
    }
}
