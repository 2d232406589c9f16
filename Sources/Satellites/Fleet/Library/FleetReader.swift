// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import ReveilleFleetCore
package import ReveilleSystem

/// Reads a part of a fleet into a mailbox: first the messages that the broker keeps, then the changes.
///
/// The reader connects again when the broker is lost. While it sleeps, it has no connection, and the broker queues
/// nothing for it. After a wake, the mailbox has one event for each state that changed.
///
/// Loop thread only.
package final class FleetReader {
    /// The first limit of the pauses: a reader's person waits, and readers are few.
    private static let shortestPause: Duration = .seconds(1)
    /// The last limit, as for a bridge.
    private static let longestPause = Uplink.pauses.upperBound

    private let broker: FleetBroker
    private let interest: FleetInterest
    private let mailbox: FleetMailbox
    private let loop: EventLoop
    private let onChange: () -> Void
    private var connection: BrokerConnection?
    private var completeness = Completeness()
    private var backoff = Backoff(from: shortestPause, to: longestPause, least: 0)
    private var retry: EventSource?
    private var isAwake = false

    /// Creates a reader that is asleep.
    ///
    /// `onChange` is called on the loop when the mailbox has a new event; it may send the reader to sleep.
    package init(
        _ broker: FleetBroker, interest: FleetInterest, into mailbox: FleetMailbox, on loop: EventLoop,
        onChange: @escaping () -> Void = {}
    ) {
        self.broker = broker
        self.interest = interest
        self.mailbox = mailbox
        self.loop = loop
        self.onChange = onChange
    }

    /// Connects at once, and again whenever the broker is lost.
    package func wake() {
        guard !isAwake else { return }
        isAwake = true
        backoff.reset()
        connect()
    }

    /// Disconnects until ``wake()``.
    package func sleep() {
        isAwake = false
        connection?.close()
        connection = nil
        retry = nil
    }

    /// The time of the ledger, in seconds.
    private var now: Int64 { Int64(loop.bootClock / 1_000_000) }

    private func connect() {
        let interest = interest
        completeness = Completeness { device, aspect in
            interest.contains(device) && aspect.map { interest.contains(aspect: $0) } ?? true
        }
        do throws(FleetError) {
            connection = try BrokerConnection(
                broker, stages: [interest.statusFilters, interest.stateFilters], on: loop
            ) { [weak self] in self?.take($0) }
        } catch {
            lose(error)
        }
    }

    private func take(_ event: BrokerConnection.Event) {
        switch event {
        case .connected: mailbox.connect()
        case .message(let topic, let payload, let isRetained, let expiry):
            guard interest.contains(topic: topic) else { return }
            if mailbox.receive(payload, on: topic, isRetained: isRetained, expiry: expiry, at: now) { onChange() }
        case .arrived: arrived()
        case .isUncertain(let error):
            mailbox.put(.uncertain(error.description), at: now)
            onChange()
        case .acknowledged: break
        case .refused(let error):
            sleep()
            mailbox.fail(error)
            onChange()
        case .ended(let error): lose(error)
        }
    }

    private func arrived() {
        let devices = mailbox.mark(&completeness, at: now)
        guard devices.isEmpty else {
            connection?.ask(for: interest.filters(of: devices))
            return
        }
        // Not before: a broker that accepts and then closes would be tried twice a second forever.
        backoff.reset()
        onChange()
    }

    private func lose(_ error: FleetError) {
        connection = nil
        mailbox.lose(error)
        do throws(SystemError) {
            if retry == nil { retry = try loop.timer { [weak self] in self?.connect() } }
            retry?.fire(after: backoff.next(fraction: Double.random(in: 0...1)))
        } catch {
            isAwake = false
            mailbox.fail(FleetError(.unreachable, "connecting to \(broker): \(error)"))
        }
        onChange()
    }
}
