// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore
import ReveilleMQTT
import ReveilleSystem

/// One connection of the bridge to the broker.
///
/// Loop thread only.
final class BrokerLink {
    /// What happens on the connection.
    enum Message {
        case uplink(Uplink.Input)
        /// A desired value, or a message of Home Assistant.
        case message(topic: String, payload: [UInt8])
        /// The desired values have arrived; whether all have.
        case collected(isComplete: Bool)
    }

    /// The time in which the broker sends the desired values.
    private static let patience: Duration = .seconds(10)
    /// The reason code for what the broker's rules forbid (MQTT 5, 2.4).
    private static let notAuthorized: UInt8 = 0x87

    private let setup: BridgeSetup
    private let filters: [String]
    private let notes: Notes
    private let onMessage: (Message) -> Void
    private var connection: MQTTConnection?
    private var timer: EventSource?
    /// The messages that the broker has not acknowledged, by their identifiers.
    private var publications: [Int32: (publication: Uplink.Publication?, topic: String)] = [:]
    private var subscribed: [Int32: [String]] = [:]
    private var isCollecting = true

    /// Connects, and subscribes to the topics of desired values and of Home Assistant.
    ///
    /// - Throws: `MQTTError` if the connection cannot be started.
    init(
        _ setup: BridgeSetup, filters: [String], on loop: EventLoop, notes: Notes,
        onMessage: @escaping (Message) -> Void
    ) throws {
        self.setup = setup
        self.filters = filters
        self.notes = notes
        self.onMessage = onMessage
        timer = try loop.timer { [weak self] in self?.endCollection(isComplete: false) }
        connection = try MQTTConnection(setup.connection, on: loop) { [weak self] in self?.take($0) }
    }

    private var statusTopic: String { FleetTopic.status(setup.device).text }

    /// Sends a retained message; `nil` for one whose acknowledgement is not waited for.
    func publish(_ publication: Uplink.Publication?, topic: String, payload: [UInt8], expiry: UInt32?) {
        guard let connection else { return }
        do throws(MQTTError) {
            let identifier = try connection.publish(payload, to: topic, retain: true, expiry: expiry)
            publications[identifier] = (publication, topic)
        } catch {
            // The end of a lost connection is reported.
            guard error.kind == .refused || error.kind == .protocol else { return }
            notes.write(.warning, "\(error)", about: .topic(topic))
            if let publication { onMessage(.uplink(.refused(publication))) }
        }
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
            notes.write(.info, "connected to \(setup.configuration.access.address)", about: .broker)
            onMessage(.uplink(.connected(sessionPresent: sessionPresent)))
            // After the birth message, whose return is the mark.
            if filters.isEmpty { endCollection(isComplete: true) } else { subscribe(to: filters) }
            timer?.fire(after: Self.patience)
        case .acknowledged(let identifier, let refusal, let code):
            guard let (publication, topic) = publications.removeValue(forKey: identifier) else { return }
            if let refusal {
                notes.write(
                    .warning, "the broker refused \(topic): \(refusal)\(advice(code, "write"))", about: .topic(topic))
            } else {
                notes.settle(.topic(topic))
            }
            if let publication {
                onMessage(.uplink(refusal == nil ? .acknowledged(publication) : .refused(publication)))
            }
        case .subscribed(let identifier, let codes): takeSubscribed(identifier, codes)
        case .message(let topic, let payload, let isRetained, _, _):
            if topic == statusTopic {
                // One that is not retained was published by this connection before it subscribed.
                if isRetained { endCollection(isComplete: true) }
            } else {
                onMessage(.message(topic: topic, payload: payload))
            }
        case .ended(let error):
            connection = nil
            timer = nil
            let isTakenOver = error.kind == .takenOver
            notes.write(
                .warning,
                isTakenOver
                    ? "another client uses the identity \(setup.device) (a cloned device?): \(error)"
                    : "trying to reach the broker again: \(error)", about: .broker)
            onMessage(.uplink(.disconnected(isTakenOver: isTakenOver)))
        }
    }

    private func subscribe(to filters: [String]) {
        guard let connection else { return }
        do throws(MQTTError) {
            // Retained messages deliver what is desired now; the broker does not queue more for a device that is away.
            subscribed[try connection.subscribe(to: filters, qos: 0)] = filters
        } catch {
            notes.write(.warning, "\(error)", about: .topic(filters[0]))
        }
    }

    private func takeSubscribed(_ identifier: Int32, _ codes: [UInt8]) {
        guard let requested = subscribed.removeValue(forKey: identifier) else { return }
        for (filter, code) in zip(requested, codes) where code >= 0x80 {
            notes.write(
                .warning, "the broker refused the subscription to \(filter)\(advice(code, "read"))",
                about: .topic(filter))
        }
        if requested == filters {
            subscribe(to: [statusTopic])
        } else if codes.contains(where: { $0 >= 0x80 }) {
            endCollection(isComplete: false)
        }
    }

    private func endCollection(isComplete: Bool) {
        guard isCollecting else { return }
        isCollecting = false
        timer = nil
        if let connection, !filters.isEmpty { try? connection.unsubscribe(from: [statusTopic]) }
        onMessage(.collected(isComplete: isComplete))
    }

    /// The rule that the broker lacks, as mosquitto writes it.
    private func advice(_ code: UInt8, _ verb: String) -> String {
        guard code == Self.notAuthorized else { return "" }
        return "; its rules must contain 'pattern \(verb) \(FleetTopic.root)/%u/#'"
    }
}
