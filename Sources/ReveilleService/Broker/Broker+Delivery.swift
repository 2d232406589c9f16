// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import ReveilleWire

extension Broker {
    /// The most replies that are sent before other sources have their turn: some milliseconds of writing.
    private static let deliveriesPerTurn = 256

    /// Sends the events whose interval is over, and ends the tasks whose time is over.
    func advance() {
        bus.advance(to: loop.bootClock)
        advanceTasks()
        deliver()
    }

    /// Sends pending deliveries, first to the subscribers that became ready first.
    func deliver() {
        guard bus.hasReady else { return waitForPaced() }
        let now = loop.bootClock
        for _ in 0..<Self.deliveriesPerTurn {
            guard let ready = bus.takeReady() else { return waitForPaced() }
            guard let connection = subscribers[ready] else { continue }
            if let process = connection.process { freezes.look(at: process, at: now) }
            deliver(to: ready, connection)
        }
        deliverSoon()
    }

    @inline(__always)
    private func deliver(to ready: ReadySubscription, _ connection: Connection) {
        // Only now: most replies have been read long before the next change.
        if ready.isUnread {
            guard connection.isAllRead else { return connection.awaitReading() }
            if awaitsReceipts { noteReceipts(by: connection) }
        }
        if let event = bus.soleEvent(for: ready) {
            if awaitsReceipts { awaitReceipt(by: connection) }
            send(writer.frame(of: event) { bus.event(event) }, to: connection)
        } else if let delivery = bus.delivery(to: ready, at: loop.bootClock) {
            if awaitsReceipts { awaitReceipt(by: connection) }
            send(writer.frame(delivery.events), to: connection)
        }
    }

    /// Sends pending deliveries in another turn of the loop.
    func deliverSoon() {
        moreDeliveries?.fire(after: .zero)
    }

    /// Waits for the next event that is delayed by the interval of its policy, and for the next change of a task.
    @inline(__always)
    func waitForPaced() {
        guard let task = tasks.next else { return pacing?.set(to: bus.nextPaced) ?? () }
        pacing?.set(to: min(task, bus.nextPaced ?? task))
    }

    func send(_ bytes: [UInt8], to connection: Connection) {
        // A `oneway` call has no reply.
        guard !bytes.isEmpty else { return }
        do throws(SystemError) {
            try connection.send(bytes)
        } catch {
            close(connection)
        }
    }
}
