// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleLink
import ReveilleSystem
import ReveilleViewCore
import Varlink

/// The stream of events of one visible page: a subscription of its own, written as the page reads.
///
/// The feed takes the next reply from the bus when the last one has been written. Meanwhile the bus merges changes into
/// one event for each aspect.
///
/// Loop thread only.
final class EventFeed: Feed {
    private var stream: EventStream?
    private(set) var output = ServerSentEvent.greeting
    var written = 0
    private var isOpen = false
    /// The last reason for the loss of the bus; `nil` while the bus is there.
    private var loss: String?
    var onOutput: () -> Void = {}

    /// Creates a feed; the first ``read(into:)`` subscribes.
    init(on bus: Connector, from position: Positions?) throws(SystemError) {
        stream = try EventStream(
            SubscriptionRequest(instance: position?.instance, positions: position?.generations),
            plan: SubscriptionPlan.everything, connector: bus
        ) { [weak self] in self?.take($0) }
    }

    func close() {
        stream?.close()
        stream = nil
    }

    func takeNext() {
        output.removeAll(keepingCapacity: output.capacity <= 64 << 10)
        written = 0
        if !isOpen {
            isOpen = true
            stream?.open()
        }
        stream?.isPaused = false
    }

    private func take(_ message: EventStream.Message) {
        let position = stream?.positions?.text
        switch message {
        case .aspects(let parameters): output += ServerSentEvent.encode("aspects", parameters)
        case .started(var parameters, let withdrawn):
            parameters["withdrawn"] = .array(withdrawn.map { .string($0.name) })
            loss = nil
            output += ServerSentEvent.encode("start", parameters, at: position)
            stream?.isPaused = true
        case .events(let parameters):
            output += ServerSentEvent.encode("events", parameters, at: position)
            stream?.isPaused = true
        case .lost(let error):
            let reason = "\(error)"
            // Attempts follow every two seconds, and the page need not hear of each.
            guard reason != loss else { return }
            loss = reason
            output += ServerSentEvent.encode("lost", ["reason": .string(reason)])
        }
        onOutput()
    }
}
