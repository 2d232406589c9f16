// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem

/// A change of retained messages that depends on the broker's current ones.
///
/// After each change the topics are read again, until nothing is left to do: other programs may have changed them.
final class BrokerEdit {
    /// A retained message; an empty payload deletes it.
    typealias Message = (topic: String, payload: [UInt8])

    struct Contents {
        var kept: [String: [UInt8]] = [:]
        /// All messages since the last step, including this program's own, in order.
        var received: [Message] = []
    }

    enum Step {
        /// Publish messages, and read the topics again; none to end.
        case publish([Message])
        case pause(Duration)
    }

    /// The most publications; after that, other programs keep this one from finishing.
    private static let roundLimit = 20

    private let topics: [String]
    private let loop: EventLoop
    private let next: (Contents) throws(Failure) -> Step
    private var timer: EventSource?
    private var connection: BrokerConnection?
    private var contents = Contents()
    private var unacknowledged: Set<Int32> = []
    private var rounds = 0
    private var failure: Failure?

    private init(
        _ topics: [String], _ loop: EventLoop, _ next: @escaping (Contents) throws(Failure) -> Step
    ) throws {
        self.topics = topics
        self.loop = loop
        self.next = next
        timer = try loop.timer { [unowned self] in take(.arrived) }
    }

    /// Reads topics, and carries out the steps of `next`, until there is nothing to publish.
    static func run(
        _ topics: [String], on broker: FleetBroker, next: @escaping (Contents) throws(Failure) -> Step
    ) throws {
        let loop = try EventLoop()
        let edit = try BrokerEdit(topics, loop, next)
        edit.connection = try BrokerConnection(broker, stages: [topics], on: loop) { [unowned edit] in edit.take($0) }
        try loop.run()
        if let failure = edit.failure { throw failure }
    }

    private func take(_ event: BrokerConnection.Event) {
        do throws(Failure) {
            switch event {
            case .connected, .isUncertain: break
            case .message(let topic, let payload, _, _):
                contents.kept[topic] = payload.isEmpty ? nil : payload
                contents.received.append((topic, payload))
            case .arrived: try proceed()
            case .acknowledged(let identifier, let error):
                if let error { throw Failure(error) }
                unacknowledged.remove(identifier)
                if unacknowledged.isEmpty { readAgain() }
            case .refused(let error), .ended(let error): throw Failure(error)
            }
        } catch {
            failure = error
            end()
        }
    }

    private func proceed() throws(Failure) {
        let step = try next(contents)
        contents.received = []
        guard case .publish(let messages) = step else {
            if case .pause(let duration) = step { timer?.fire(after: duration) }
            return
        }
        guard !messages.isEmpty else { return end() }
        rounds += 1
        guard rounds <= Self.roundLimit else {
            throw Failure(.tryAgain, "another program keeps changing \(messages[0].topic)")
        }
        for message in messages {
            if let identifier = connection?.publish(message.payload, to: message.topic) {
                unacknowledged.insert(identifier)
            }
        }
    }

    private func readAgain() {
        contents.kept = [:]
        connection?.ask(for: topics)
    }

    private func end() {
        connection?.close()
        connection = nil
        timer = nil
        loop.exit()
    }
}
