// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem
import ReveilleViewCore

/// The fleet behind all its pages: one reader, which sleeps while no page is visible.
///
/// If the broker refuses the reader, it gives up. Each page that is opened or shown again starts it again.
///
/// The sleeping reader has no connection to the broker. When a page returns, the reader reads the broker's states, and
/// its ledger counts the changes in between by generation.
///
/// Loop thread only.
final class FleetHub {
    /// How long changes are collected, so that a device that changes several aspects at once is one event for a page.
    private static let pause: Duration = .milliseconds(50)
    /// The time without a visible page after which the reader sleeps: a reloaded page returns sooner.
    private static let grace: Duration = .seconds(10)

    private(set) var board = FleetBoard(name: String(UInt64.random(in: .min ... .max), radix: 16))
    private let mailbox = FleetMailbox()
    private let log: ViewLog
    private var reader: FleetReader?
    private var collecting: EventSource?
    private var isCollecting = false
    private var falling: EventSource?
    private var feeds: [ObjectIdentifier: FleetFeed] = [:]

    /// Creates a hub; its reader sleeps until the first page is visible.
    init(_ broker: FleetBroker, loop: EventLoop, log: ViewLog) throws(FleetError) {
        self.log = log
        do throws(SystemError) {
            collecting = try loop.timer { [weak self] in self?.deliver() }
            falling = try loop.timer { [weak self] in self?.sleep() }
        } catch {
            throw FleetError(.unreachable, "reading the fleet: \(error)")
        }
        reader = FleetReader(broker, interest: try FleetInterest(), into: mailbox, on: loop) { [weak self] in
            self?.collect()
        }
    }

    func add(_ feed: FleetFeed) {
        falling?.disarm()
        if case .ended = board.link { board.link = .reading }
        // The reader may have given up while another page was visible.
        reader?.wake()
        feeds[ObjectIdentifier(feed)] = feed
    }

    func remove(_ feed: FleetFeed) {
        guard feeds.removeValue(forKey: ObjectIdentifier(feed)) != nil, feeds.isEmpty else { return }
        falling?.fire(after: Self.grace)
    }

    private func sleep() {
        reader?.sleep()
        // The next wake reads everything again.
        board.link = .reading
    }

    private func collect() {
        guard !isCollecting else { return }
        isCollecting = true
        collecting?.fire(after: Self.pause)
    }

    private func deliver() {
        isCollecting = false
        do throws(FleetError) {
            let now = Clocks.wall()
            while let event = try mailbox.nextIfDue() { take(event, at: now) }
        } catch {
            board.link = .ended(error.description)
            log.write(.warning, "not reading the fleet until a page is opened: \(error)", about: .broker)
        }
        for feed in feeds.values { feed.onOutput() }
    }

    private func take(_ event: FleetEvent, at now: Int64) {
        switch event {
        case .disconnected(let error):
            board.link = .lost(error.description)
            log.write(.warning, "trying to reach the broker again: \(error)", about: .broker)
        case .caughtUp:
            board.take(event, at: now)
            log.write(.info, "connected to the broker: \(Count.text(board.tiles.count, "device"))", about: .broker)
        default: board.take(event, at: now)
        }
    }
}
