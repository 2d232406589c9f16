// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem

extension Broker {
    /// Sets a hold, and cancels a wake from it that still waits for a sample.
    func hold(_ reason: HoldReasons, on target: Connection) {
        guard let id = target.subscription else { return }
        target.waking.remove(reason)
        bus.hold(reason, on: id)
        waitForPaced()
        adjustWatchers()
    }

    /// Clears a hold, after a fresh sample if it is the last one.
    func wake(_ target: Connection, from reason: HoldReasons, then completion: @escaping () -> Void) {
        guard let id = target.subscription, let holds = bus.holds(of: id) else { return completion() }
        let wakes = holds.contains(reason) && holds.subtracting(reason).isDisjoint(with: .background)
        target.waking.insert(reason)
        watchers.freshen(wakes ? target.aspects : [], isStaying: true) { [weak self] in
            // It may have been held again during the sample.
            if target.waking.remove(reason) != nil {
                // A turn of many calls may delay the event that reports that the last reply was read.
                self?.releaseIfRead(target)
                self?.bus.release(reason, from: id)
            }
            self?.adjustWatchers()
            completion()
        }
    }

    /// Follows the process behind a subscription, which ends with the process and is held while it is frozen.
    ///
    /// Without this, a child that inherited the socket would keep the subscription and its sensors alive, unread.
    func follow(_ connection: Connection) {
        do throws(SystemError) {
            let process = try PeerProcess(of: connection.stream)
            let end = try loop.watch(process.number, for: .readable) { [weak self, unowned connection] _ in
                self?.close(connection)
            }
            connection.follow(process, until: end)
            freezes.begin(connection, process)
        } catch {
            logger.debug("a subscription ends only with its connection: \(error)")
        }
    }

    /// Holds a subscriber whose process has been frozen, or wakes one whose process has been thawed.
    func freezeChanged(_ connection: Connection, isFrozen: Bool) {
        if isFrozen {
            hold(.frozen, on: connection)
        } else {
            wake(connection, from: .frozen) { [weak self] in self?.deliver() }
        }
    }

    /// Holds or wakes the subscriber on a stream, whose process a simulation freezes or thaws.
    package func setFrozen(_ isFrozen: Bool, stream number: Int32) {
        guard let connection = subscribers.values.first(where: { $0.stream.number == number }) else { return }
        freezeChanged(connection, isFrozen: isFrozen)
    }
}
