// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem

/// Delays the sleep of the machine until awake programs have read that it is about to sleep, and all tasks have ended.
final class SleepDelay: BusPart {
    /// How long the announcements are followed after the last task, for programs that begin another.
    private static let linger: UInt64 = 5_000_000

    let access: BusAccess
    private let machine: any MachineSleep
    /// Exists while programs have tasks, and a while longer.
    private var interest: SleepInterest?
    private var end: UInt64?
    private var isAnnounced = false
    private var preparation: SleepPreparation?
    /// The subscribers that were awake at the announcement and have not read it, by the numbers of their connections.
    private var audience: [UInt64: Connection] = [:]

    init(_ access: BusAccess, machine: any MachineSleep) {
        self.access = access
        self.machine = machine
        machine.announced = { [weak self] in self?.announced(longestDelay: $0) }
        machine.interests.obstacles = { [weak self] in self?.preparation == nil ? "" : self?.obstacles ?? "" }
    }

    // MARK: - Tasks

    func becameBusy() {
        end = nil
        if interest == nil { interest = machine.interests.follow { _ in } }
        interest?.wantsDelay = true
    }

    func becameIdle() {
        guard !access.isBusy(nil) else { return }
        interest?.wantsDelay = false
        end = loop.bootClock + Self.linger
        if preparation != nil { access.partsAreDue() }
        access.timesChanged()
    }

    // MARK: - Announcements

    /// Runs before the watcher reports the announcement: a subscriber that has something unread now is not waited for.
    private func announced(longestDelay: UInt64?) {
        // By the second of two announcements, the first is unread.
        guard longestDelay == nil || !isAnnounced else { return }
        isAnnounced = longestDelay != nil
        preparation = nil
        audience = [:]
        if longestDelay != nil, !machine.isDelayed {
            if machine.interests.wantDelay { logger.info("the machine sleeps without a delay: \(machine.source)") }
            machine.letSleep()
        } else if let longestDelay {
            audience = Dictionary(access.audience(of: .sleep).map { ($0.number, $0) }, uniquingKeysWith: { $1 })
            preparation = SleepPreparation(at: loop.bootClock, longest: longestDelay, hasAudience: !audience.isEmpty)
            // The watcher reports the announcement before the turn ends.
            access.partsAreDue()
        }
        access.waits(!audience.isEmpty, self)
        access.timesChanged()
    }

    private func goOn(at now: UInt64) {
        guard var preparation else { return }
        audience = audience.filter { isWaitedFor($1) }
        access.waits(!audience.isEmpty, self)
        for connection in audience.values { connection.awaitReading() }
        let isOver = preparation.isOver(at: now, isRead: audience.isEmpty, hasTasks: access.isBusy(nil))
        self.preparation = isOver ? nil : preparation
        guard isOver else { return }
        logger.info("\(report(of: preparation, at: now))")
        audience = [:]
        access.waits(false, self)
        machine.letSleep()
    }

    private func isWaitedFor(_ connection: Connection) -> Bool {
        guard let id = connection.subscription, bus.holds(of: id)?.isDisjoint(with: .background) == true else {
            return false
        }
        // Nobody can have read what has not been sent, and a turn sends only so much.
        return bus.isBehind(id) || !connection.isAllRead
    }

    private func report(of preparation: SleepPreparation, at now: UInt64) -> String {
        let time = "the machine may sleep after \((now - preparation.begin) / 1_000) ms"
        return obstacles.isEmpty ? time : "\(time), although \(obstacles)"
    }

    private var obstacles: String {
        let unread = audience.values.map { "process \($0.peer.pid) has not read" }
        let tasks = access.work.map { "\($0) has not ended" }
        return (unread.sorted() + tasks).prefix(8).joined(separator: ", ")
    }

    // MARK: - Hooks

    var next: UInt64? { [end, preparation?.next(after: loop.bootClock)].compactMap(\.self).min() }

    func advance(to now: UInt64) {
        if let end, end <= now {
            self.end = nil
            interest = nil
        }
        goOn(at: now)
    }

    func moved(_ connection: Connection, toForeground: Bool) { mayHaveLeft(connection) }
    func closing(_ connection: Connection) { mayHaveLeft(connection) }
    func awaitsReading(by connection: Connection) -> Bool { audience[connection.number] != nil }
    func hasRead(_ connection: Connection) { mayHaveLeft(connection) }

    private func mayHaveLeft(_ connection: Connection) {
        if audience[connection.number] != nil { access.partsAreDue() }
    }

    func stop() {
        preparation = nil
        interest = nil
    }
}
