// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem

extension Broker {
    /// Sets a hold; a wake from it that still waits for its sample is called off.
    func hold(_ reason: HoldReasons, on target: Connection) {
        guard let id = target.subscription else { return }
        target.waking.remove(reason)
        bus.hold(reason, on: id)
        adjustWatchers()
    }

    /// Clears a hold; if it was the last one, a fresh sample comes first.
    func wake(_ target: Connection, from reason: HoldReasons, then completion: @escaping () -> Void) {
        guard let id = target.subscription, let holds = bus.holds(of: id) else { return completion() }
        let wakes = holds.contains(reason) && holds.subtracting(reason).isDisjoint(with: .background)
        target.waking.insert(reason)
        watchers.freshen(wakes ? target.aspects : [], isStaying: true) { [weak self] in
            // The last word counts: it may have been held again while the sample was taken.
            if target.waking.remove(reason) != nil { self?.bus.release(reason, from: id) }
            self?.adjustWatchers()
            completion()
        }
    }

    /// Follows the process behind a new subscription: with it the subscription ends, and while its cgroup is frozen
    /// it is held.
    ///
    /// A child may have inherited the socket. The subscription is not the child's: it would go unread for ever, and
    /// keep sensors busy.
    func follow(_ connection: Connection) {
        do throws(SystemError) {
            let process = try PeerProcess(of: connection.stream)
            let end = try loop.watch(process.number, for: .readable) { [weak self, unowned connection] _ in
                self?.close(connection)
            }
            connection.follow(process, until: end)
            freezes?.begin(connection, process)
        } catch {
            logger.debug("a subscription is followed by its connection alone: \(error)")
        }
    }

    /// Holds a subscriber whose process has been frozen, wakes one whose process has been thawed.
    func freezeChanged(_ connection: Connection, isFrozen: Bool) {
        if isFrozen {
            hold(.frozen, on: connection)
        } else {
            wake(connection, from: .frozen) { [weak self] in self?.deliver() }
        }
    }
}
