// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import BusClient
import ReveilleSystem
import ReveilleViewCore
import Varlink

/// Records the battery, as a subscriber that receives one event a minute at most.
///
/// Loop thread only.
final class Recorder {
    private let history: History
    private let notes: Notes
    private var stream: BusStream?
    private var isResumed = false

    /// Subscribes, and continues where the history ends if the bus still knows that position.
    init(_ history: History, on bus: BusRoute, notes: Notes) {
        self.history = history
        self.notes = notes
        stream = BusStream(
            .parameters { SubscriptionPlan.battery.parameters(describing: []) }, on: bus, from: history.position
        ) { [weak self] in self?.take($0) }
        stream?.open()
    }

    private func take(_ message: BusStream.Message) {
        switch message {
        case .aspects: break
        case .started(let parameters, _):
            notes.write(.info, "connected to the bus", about: .bus)
            record(parameters, isStart: parameters["resumed"]?.boolValue != true)
        case .events(let parameters): record(parameters, isStart: false)
        case .lost(let reason): notes.write(.warning, "trying to reach the bus again: \(reason)", about: .bus)
        }
    }

    private func record(_ parameters: JSONObject, isStart: Bool) {
        for event in parameters["events"]?.arrayValue ?? [] {
            guard let position = stream?.position, let sample = BatterySample(event, isStart: isStart) else { continue }
            history.record(sample, at: position)
        }
    }
}
