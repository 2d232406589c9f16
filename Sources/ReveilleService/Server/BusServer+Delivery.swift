// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire

extension BusServer {
    /// The most replies that are sent before other sources have their turn: some milliseconds of writing.
    private static let deliveriesPerTurn = 256

    /// Sends pending deliveries, first to the subscribers that became ready first.
    func deliver() {
        guard bus.hasReady else { return }
        let now = loop.bootClock
        for _ in 0..<Self.deliveriesPerTurn {
            guard let ready = bus.takeReady() else { return }
            guard let connection = subscribers[ready] else { continue }
            if let process = connection.process, now >= process.nextLook {
                parts.suspensions.freezes.look(at: process, at: now)
            }
            serve(ready, on: connection)
        }
    }

    @inline(__always)
    private func serve(_ ready: ReadySubscription, on connection: Connection) {
        // Only now: most replies have been read long before the next change.
        if ready.isUnread {
            guard connection.isAllRead else { return awaitReading(by: connection) }
            if !parts.waiting.isEmpty { for part in parts.waiting { part.hasRead(connection) } }
        }
        if let event = bus.soleEvent(for: ready) {
            if !parts.waiting.isEmpty { notifyWaiting(of: connection) }
            send(writer.frame(of: event) { bus.event(event) }, to: connection)
        } else if let delivery = bus.delivery(to: ready, at: loop.bootClock) {
            if !parts.waiting.isEmpty { notifyWaiting(of: connection) }
            send(writer.frame(delivery.events), to: connection)
        }
    }

    private func awaitReading(by connection: Connection) {
        for part in parts.waiting { part.leavesUnread(connection) }
        connection.awaitReading()
    }

    func notifyWaiting(of connection: Connection) {
        for part in parts.waiting { part.sends(to: connection) }
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
