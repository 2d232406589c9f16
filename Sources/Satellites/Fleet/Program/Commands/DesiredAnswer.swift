// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem

/// Waits until a device says that it has taken a desired change, or cannot take it now.
final class DesiredAnswer {
    /// How long a connected device may take: its answer crosses two networks and its bus.
    static let patience = 5

    private let change: DesiredChange
    private let loop: EventLoop
    private let timer: EventSource
    private var status: StatusMessage?
    private var failure: FleetError?

    private init(_ change: DesiredChange, _ loop: EventLoop) throws {
        self.change = change
        self.loop = loop
        timer = try loop.timer { loop.exit() }
    }

    static func wait(for change: DesiredChange, on broker: FleetBroker) throws -> DesiredChange.Outcome {
        let loop = try EventLoop()
        let answer = try DesiredAnswer(change, loop)
        let topic = FleetTopic.status(change.device).text
        let connection = try BrokerConnection(broker, stages: [[topic]], on: loop) { [unowned answer] event in
            answer.take(event)
        }
        try withExtendedLifetime(answer) { try loop.run() }
        connection.close()
        if let failure = answer.failure { throw Failure(failure) }
        return change.outcome(answer.status)
    }

    private func take(_ event: BrokerConnection.Event) {
        switch event {
        case .message(_, let payload, _, _):
            status = try? StatusMessage(payload)
            if change.outcome(status) != .refused { loop.exit() }
        case .arrived:
            guard status != nil else { return loop.exit() }
            // Not before: the broker has an end of its patience, and a device that it has not named may exist.
            timer.fire(after: .seconds(Self.patience))
        case .refused(let error), .ended(let error):
            failure = error
            loop.exit()
        case .connected, .isUncertain, .acknowledged: break
        }
    }
}
