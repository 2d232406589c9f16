// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleMQTT
import ReveilleSystem

/// One connection of the bridge to the broker.
///
/// Loop thread only.
final class BrokerLink {
    enum Message {
        case uplink(Uplink.Input)
        /// A desired value, or a message of Home Assistant.
        case message(topic: String, payload: [UInt8])
        /// The broker has a message that ``Uplink`` does not know of.
        case acknowledged(topic: String)
        /// The desired values have arrived, perhaps not all, from a broker that may have lost its memory.
        case collected(isComplete: Bool, hasForgotten: Bool)
    }

    /// The time after the last subscription in which the broker sends the desired values, unless its rules forbid them.
    private static let patience: Duration = .seconds(10)
    /// The time after the mark in which known, missing values can still arrive: some brokers send the retained messages
    /// of several subscriptions in parallel.
    private static let grace: Duration = .seconds(1)

    private let setup: BridgeSetup
    private let desired: [String]
    private let filters: [String]
    private let former: [String]
    private let log: BridgeLog
    private let isSettled: () -> Bool
    private let onMessage: (Message) -> Void
    private var connection: MQTTConnection?
    private var timer: EventSource?
    /// The messages that the broker has not acknowledged, by their identifiers.
    private var publications: [Int32: (publication: Uplink.Publication?, topic: String)] = [:]
    private var subscribed: [Int32: [String]] = [:]
    private var isCollecting = true
    /// Whether the broker seems to have forgotten this device: both its session and its last status.
    private var hasForgotten = false
    private var isAwaitingMark = false
    private var isMarked = false
    /// Whether the broker refused the subscription to desired values, so that they never arrive.
    private var isRefused = false

    /// Connects, and subscribes to the topics of desired values and others.
    ///
    /// The session may still have `former` filters. `isSettled` says whether all known values have arrived.
    init(
        _ setup: BridgeSetup, desired: [String], others: [String], former: [String], on loop: EventLoop, log: BridgeLog,
        isSettled: @escaping () -> Bool, onMessage: @escaping (Message) -> Void
    ) throws {
        self.setup = setup
        self.desired = desired
        self.former = former
        filters = desired + others
        self.log = log
        self.isSettled = isSettled
        self.onMessage = onMessage
        timer = try loop.timer { [weak self] in self?.endCollection() }
        connection = try MQTTConnection(setup.connection, on: loop) { [weak self] in self?.take($0) }
    }

    private var statusTopic: String { FleetTopic.status(setup.device).text }

    /// Sends a retained message; `publication` is `nil` if the uplink does not wait for the acknowledgement.
    func publish(_ publication: Uplink.Publication?, topic: String, payload: [UInt8], expiry: UInt32?) {
        guard let connection else { return }
        publications[connection.publish(payload, to: topic, retain: true, expiry: expiry)] = (publication, topic)
    }

    /// Ends the connection; a clean end discards the will.
    func end(isClean: Bool) {
        if isClean { connection?.disconnect() } else { connection?.close() }
        connection = nil
        timer = nil
    }

    private func take(_ event: MQTTConnection.Event) {
        switch event {
        case .connected(let sessionPresent):
            log.write(.info, "connected to \(setup.configuration.broker)", about: .broker)
            hasForgotten = !sessionPresent
            // Before the birth message, which replaces the status that the broker remembers.
            if !sessionPresent, !desired.isEmpty { subscribe(to: [statusTopic]) }
            onMessage(.uplink(.connected(sessionPresent: sessionPresent)))
            if sessionPresent, !former.isEmpty { connection?.unsubscribe(from: former) }
            // After the birth message, whose return is the mark.
            if filters.isEmpty { noteMark() } else { subscribe(to: filters) }
        case .acknowledged(let identifier, let refusal, let code):
            guard let (publication, topic) = publications.removeValue(forKey: identifier) else { return }
            if let refusal {
                log.write(
                    .warning, "the broker refused \(topic): \(refusal)\(advice(code, topic))", about: .topic(topic))
            } else {
                log.settle(.topic(topic))
            }
            if let publication {
                onMessage(.uplink(.answered(publication, isTaken: refusal == nil)))
            } else if refusal == nil {
                onMessage(.acknowledged(topic: topic))
            }
        case .subscribed(let identifier, let codes): takeSubscribed(identifier, codes)
        case .message(let topic, let payload, let isRetained, _):
            if topic == statusTopic {
                // A status that is not retained comes from this connection.
                guard isRetained else { return }
                if isAwaitingMark { noteMark() } else { hasForgotten = false }
            } else {
                onMessage(.message(topic: topic, payload: payload))
            }
        case .ended(let error):
            connection = nil
            timer = nil
            let isTakenOver = error.kind == .takenOver
            log.write(
                .warning,
                isTakenOver
                    ? "another client uses the identity \(setup.device) (a cloned device?): \(error)"
                    : "trying to reach the broker again: \(error)", about: .broker)
            onMessage(.uplink(.disconnected(isTakenOver: isTakenOver)))
        }
    }

    private func subscribe(to filters: [String]) {
        guard let connection else { return }
        // Retained messages deliver the current desired values; the broker queues nothing else for an absent device.
        subscribed[connection.subscribe(to: filters, qos: 0)] = filters
    }

    private func takeSubscribed(_ identifier: Int32, _ codes: [UInt8]) {
        guard let requested = subscribed.removeValue(forKey: identifier) else { return }
        for (filter, code) in zip(requested, codes) where code >= 0x80 {
            log.write(
                .warning, "the broker refused the subscription to \(filter)\(advice(code, filter))",
                about: .topic(filter))
            if desired.contains(filter) { isRefused = true }
        }
        if requested == filters {
            isAwaitingMark = true
            subscribe(to: [statusTopic])
        } else if isAwaitingMark {
            if codes.contains(where: { $0 >= 0x80 }) {
                endCollection()
            } else if !isMarked {
                timer?.fire(after: Self.patience)
            }
        }
    }

    private func noteMark() {
        isMarked = true
        if isRefused || isSettled() { endCollection() } else if isCollecting { timer?.fire(after: Self.grace) }
    }

    private func endCollection() {
        guard isCollecting else { return }
        isCollecting = false
        timer = nil
        if let connection, !filters.isEmpty { connection.unsubscribe(from: [statusTopic]) }
        onMessage(.collected(isComplete: isMarked && !isRefused, hasForgotten: hasForgotten))
    }

    /// The rule that the broker lacks.
    private func advice(_ code: UInt8, _ topic: String) -> String {
        guard code == ReasonCode.notAuthorized else { return "" }
        return "; its rules must contain '\(setup.device.rule(for: topic))'"
    }
}
