// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleHost
import ReveilleSystem

extension BusServer {
    /// Lets programs delay the sleep of the machine.
    func followSleep() {
        let machine = facilities.sleep
        machine?.announced = weakly(self) { $0.sleepIsAnnounced(longestDelay: $1) }
        machine?.interests.obstacles = { [weak self] in
            guard let self, features.sleep.preparation != nil else { return "" }
            return obstaclesToSleep
        }
    }

    private func sleepIsAnnounced(longestDelay: UInt64?) {
        guard let machine = facilities.sleep else { return }
        turn.timesHaveChanged = true
        guard features.sleep.announce(longestDelay: longestDelay), let longestDelay else { return }
        guard machine.isDelayed else {
            if machine.interests.wantDelay { logger.info("the machine sleeps without a delay: \(machine.source)") }
            return machine.letSleep()
        }
        features.sleep.delay(atMost: longestDelay, for: audienceOfSleep, at: loop.bootClock)
        // The watcher reports the announcement before the turn ends.
        turn.featuresAreDue = true
    }

    /// The subscribers to `sleep` that have read everything and receive its next change now.
    private var audienceOfSleep: Set<UInt64> {
        let audience = connections.subscribers.connections.filter { connection in
            guard let id = connection.subscription, connection.aspects.contains(Aspect(BuiltInAspect.sleep)) else {
                return false
            }
            releaseIfRead(connection)
            return bus.holds(of: id)?.isEmpty == true
        }
        return Set(audience.map(\.number))
    }

    /// Follows the announcements while there are tasks, and lets the machine sleep once nothing delays it.
    func advanceSleep(to now: UInt64, hasTasks: Bool) {
        guard let machine = facilities.sleep else { return }
        let over = features.sleep.advance(to: now, hasTasks: hasTasks) { isWaitedForBySleep($0) }
        if features.sleep.isFollowing {
            if sleepInterest == nil { sleepInterest = machine.interests.follow { _ in } }
            sleepInterest?.wantsDelay = features.sleep.isWanted
        } else {
            sleepInterest = nil
        }
        for number in features.sleep.audience { connections[number]?.awaitReading() }
        guard let over else { return }
        let time = "the machine may sleep after \((now - over.begin) / 1_000) ms"
        logger.info("\(obstaclesToSleep.isEmpty ? time : "\(time), although \(obstaclesToSleep)")")
        features.sleep.endAudience()
        machine.letSleep()
    }

    private func isWaitedForBySleep(_ number: UInt64) -> Bool {
        guard let connection = connections[number], let id = connection.subscription,
            bus.holds(of: id)?.isDisjoint(with: .background) == true
        else { return false }
        // Unsent events are unread too, and a turn sends a limited amount.
        return bus.isBehind(id) || !connection.isAllRead
    }

    private var obstaclesToSleep: String {
        let unread = features.sleep.audience.compactMap { connections[$0]?.peer.pid }
            .map { "process \($0) has not read" }
        let tasks = work.map { "\($0) has not ended" }
        return (unread.sorted() + tasks).prefix(8).joined(separator: ", ")
    }
}
