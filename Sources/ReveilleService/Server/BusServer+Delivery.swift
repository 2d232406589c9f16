// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire

extension BusServer {
    /// The most replies that are sent before other sources have their turn: some milliseconds of writing.
    private static let deliveriesPerTurn = 256

    /// Sends pending deliveries, first to the subscribers that became ready first.
    func deliver() {
        var now: UInt64 = 0
        let isAwaited = features.awaitsReading
        for _ in 0..<Self.deliveriesPerTurn {
            guard let ready = bus.takeReady() else { return }
            if now == 0 { now = loop.bootClock }
            guard let connection = connections.subscribers[ready] else { continue }
            if let process = connection.process, now >= process.nextLook {
                processes.freezes.look(at: process, at: now)
            }
            serve(ready, on: connection, isAwaited)
        }
    }

    @inline(__always)
    private func serve(_ ready: ReadySubscription, on connection: Connection, _ isAwaited: Bool) {
        // Only now: most replies have been read long before the next change.
        if ready.isUnread {
            guard connection.isAllRead else {
                waitForReading(of: ready.id)
                return connection.awaitReading()
            }
            if isAwaited { hasRead(connection) }
        }
        if let event = bus.soleEvent(for: ready) {
            if isAwaited { sends(to: connection) }
            send(writer.frame(of: event) { bus.event(event) }, to: connection)
        } else if let delivery = bus.delivery(to: ready, at: loop.bootClock) {
            if isAwaited { sends(to: connection) }
            send(writer.frame(delivery.events), to: connection)
        }
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
