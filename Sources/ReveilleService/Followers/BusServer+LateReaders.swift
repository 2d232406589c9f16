// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

// Subscribers that leave events unread, for followers and for publishers that observe the demand.

extension BusServer {
    /// Starts or stops tracking subscribers that leave events unread.
    func followReading(_ isFollowed: Bool) {
        guard isFollowed != (features.lateReaders != nil) else { return }
        guard isFollowed else {
            for id in features.lateReaders?.late ?? [] { bus.setLate(false, id) }
            return features.lateReaders = nil
        }
        features.lateReaders = LateReaders()
        // Events may have become due before the tracking began.
        for id in bus.subscriptions where bus.holds(of: id) == .unread && bus.isBehind(id) { waitForReading(of: id) }
    }

    /// Notes that an event is due to a subscriber that has not read an earlier one.
    func waitForReading(of id: SubscriptionID) {
        if features.lateReaders?.wait(for: id, at: loop.bootClock) == true { turn.timesHaveChanged = true }
    }

    func noteReading(of id: SubscriptionID) {
        if features.lateReaders?.remove(id) == true { setLate(false, id) }
    }

    func advanceLateReaders(to now: UInt64) {
        for id in features.lateReaders?.advance(to: now) ?? [] { setLate(true, id) }
    }

    private func setLate(_ isLate: Bool, _ id: SubscriptionID) {
        bus.setLate(isLate, id)
        changed(id)
    }
}
