// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleLink
import ReveilleSystem
import ReveilleViewCore
import Varlink

/// Records the battery: a subscriber with at most one event a minute; loop thread only.
final class Recorder {
    private let history: History
    private let log: ViewLog
    private var stream: EventStream?

    /// Subscribes, and continues where the history ends if the bus still knows that position.
    init(_ history: History, on bus: Connector, log: ViewLog) throws(SystemError) {
        self.history = history
        self.log = log
        var request = SubscriptionPlan.battery
        let position = history.position
        request.instance = position?.instance
        request.positions = position?.generations
        stream = try EventStream(request, connector: bus) { [weak self] in self?.take($0) }
        stream?.open()
    }

    private func take(_ message: EventStream.Message) {
        switch message {
        case .aspects: break
        case .started(let parameters, _):
            log.write(.info, "connected to the bus", about: .bus)
            record(parameters, isStart: parameters["resumed"]?.boolValue != true)
        case .events(let parameters): record(parameters, isStart: false)
        case .lost(let error): log.write(.warning, "trying to reach the bus again: \(error)", about: .bus)
        }
    }

    private func record(_ parameters: JSONObject, isStart: Bool) {
        for event in parameters["events"]?.arrayValue ?? [] {
            guard let position = stream?.positions, let sample = BatterySample(event, isStart: isStart) else {
                continue
            }
            history.record(sample, at: position)
        }
    }
}
