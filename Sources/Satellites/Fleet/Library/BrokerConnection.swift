// SPDX-License-Identifier: Apache-2.0

package import ReveilleFleetCore
import ReveilleMQTT
package import ReveilleSystem

/// One connection to a broker that reads the kept messages of some topics, and follows their changes.
///
/// Loop thread only.
package final class BrokerConnection {
    package enum Event {
        case connected
        /// A message; its expiry is the remaining time in seconds.
        case message(topic: String, payload: [UInt8], isRetained: Bool, expiry: UInt32?)
        /// Everything that the broker kept has arrived.
        case arrived
        /// The broker does not deliver the reader's own messages, so the reader cannot know whether everything has
        /// arrived.
        case isUncertain(FleetError)
        case acknowledged(Int32, FleetError?)
        /// The broker permanently refuses a subscription. No event follows.
        case refused(FleetError)
        /// The connection has ended. No event follows.
        case ended(FleetError)
    }

    /// The time without messages after which everything counts as arrived.
    private static let quiet: Duration = .seconds(1)
    /// The unacknowledged messages that the broker may send: with fewer, reading takes twice as long.
    private static let receiveMaximum: UInt16 = 1_000

    package let clientID: String
    private let broker: FleetBroker
    private let loop: EventLoop
    private let onEvent: (Event) -> Void
    private var mqtt: MQTTConnection?
    private var catchUp: CatchUp
    private let mark: String
    /// The topics of messages that the broker has not acknowledged.
    private var topics: [Int32: String] = [:]
    /// The subscriptions that the broker has not answered, and whether they follow changes.
    private var subscriptions: [Int32: (filters: [String], isFollowing: Bool)] = [:]
    private var quietTimer: EventSource?
    /// The number of kept messages that have arrived, now and when the timer was set.
    private var received = 0
    private var receivedBefore = 0

    /// Starts to connect; the stages are topics in the order of their delivery, at least one.
    ///
    /// `onEvent` is called on the loop, never before this returns. It may close or release the connection.
    package init(
        _ broker: FleetBroker, stages: [[String]], on loop: EventLoop, onEvent: @escaping (Event) -> Void
    ) throws(FleetError) {
        self.broker = broker
        self.loop = loop
        self.onEvent = onEvent
        // A new identity each time: the broker may not have noticed the end of the last connection yet.
        clientID = "reveille-reader-" + String(UInt64.random(in: .min ... .max), radix: 16)
        mark = FleetTopic.mark(clientID).text
        catchUp = CatchUp(stages, mark: mark)
        var options = MQTTConnection.Options(broker: broker, clientID: clientID)
        options.receiveMaximum = Self.receiveMaximum
        do throws(MQTTError) {
            mqtt = try MQTTConnection(options, on: loop) { [weak self] in self?.take($0) }
        } catch {
            throw FleetError(error)
        }
        do throws(SystemError) {
            quietTimer = try loop.timer { [weak self] in self?.checkQuiet() }
        } catch {
            throw FleetError(.unreachable, "connecting to \(broker): \(error)")
        }
    }

    /// Disconnects; there are no further events.
    package func close() {
        mqtt?.disconnect()
        release()
    }

    private func release() {
        mqtt = nil
        quietTimer = nil
    }

    /// Asks again for topics whose messages were lost; ``Event/arrived`` follows.
    package func ask(for topics: [String]) {
        run(catchUp.ask(for: topics))
    }

    /// Publishes a retained message, and returns its identifier; an empty payload deletes the kept message.
    package func publish(_ payload: [UInt8], to topic: String) -> Int32? {
        let identifier = mqtt?.publish(payload, to: topic, retain: true)
        if let identifier { topics[identifier] = topic }
        return identifier
    }

    // MARK: - Events

    private func take(_ event: MQTTConnection.Event) {
        switch event {
        case .connected:
            onEvent(.connected)
            run(catchUp.start())
        case .message(let topic, let payload, let isRetained, let expiry):
            if isRetained { received += 1 }
            if topic == mark { return run(catchUp.markArrived(payload)) }
            onEvent(.message(topic: topic, payload: payload, isRetained: isRetained, expiry: expiry))
        case .acknowledged(let identifier, let refusal, _):
            guard let topic = topics.removeValue(forKey: identifier) else { return }
            let error = refusal.map { FleetError(.refused, "publishing to '\(topic)' on \(broker): \($0)") }
            onEvent(.acknowledged(identifier, error))
        case .subscribed(let identifier, let codes): subscribed(identifier, codes)
        case .ended(let error):
            release()
            onEvent(.ended(FleetError(error)))
        }
    }

    private func subscribed(_ identifier: Int32, _ codes: [UInt8]) {
        guard let (filters, isFollowing) = subscriptions.removeValue(forKey: identifier) else { return }
        for (filter, code) in zip(filters, codes) where ReasonCode.isError(code) && filter != mark {
            let error = FleetError(
                .refused, "subscribing to '\(filter)' on \(broker): \(ReasonCode.text(code))")
            close()
            return onEvent(.refused(error))
        }
        if !isFollowing { run(catchUp.subscribed()) }
    }

    private func run(_ effects: [CatchUp.Effect]) {
        for effect in effects {
            guard let mqtt else { return }
            switch effect {
            case .read(let filters): subscriptions[mqtt.subscribe(to: filters, qos: 0)] = (filters, false)
            case .follow(let filters):
                subscriptions[mqtt.subscribe(to: filters, qos: 1, wantsRetained: false)] = (filters, true)
            case .unsubscribe(let filters): mqtt.unsubscribe(from: filters)
            case .mark(let payload): mqtt.publish(payload, to: mark, retain: false)
            case .awaitQuiet: awaitQuiet()
            case .markIsMissing: onEvent(.isUncertain(uncertainty))
            case .arrived:
                quietTimer?.disarm()
                onEvent(.arrived)
            }
        }
    }

    private var uncertainty: FleetError {
        FleetError(
            .refused,
            """
            \(broker) does not deliver this reader's own messages, so that it waits for a second without messages \
            instead. The rule that is missing for mosquitto: topic readwrite \(FleetTopic.mark("+").text)
            """)
    }

    private func awaitQuiet() {
        receivedBefore = received
        quietTimer?.fire(after: Self.quiet)
    }

    private func checkQuiet() {
        received == receivedBefore ? run(catchUp.isQuiet()) : awaitQuiet()
    }
}
