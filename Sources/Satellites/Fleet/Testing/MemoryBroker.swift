// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem
import Varlink

/// The messages of a test's devices: the last one of each topic, delivered to readers as a broker does.
///
/// Loop thread only.
final class MemoryBroker: KeptMessages {
    /// A reader, which ignores what it does not want.
    private final class Reading: FleetReading {
        private unowned let broker: MemoryBroker
        private let later: DeferredCalls
        var handler: Handler?

        init(of broker: MemoryBroker, on loop: EventLoop, _ handler: @escaping Handler) {
            self.broker = broker
            self.handler = handler
            later = DeferredCalls(loop: loop)
        }

        func ask(for topics: [String]) {
            later.add { [unowned self] in
                handler?(.connected)
                for topic in broker.kept.keys.sorted().reversed() { receive(topic, isRetained: true) }
                handler?(.arrived)
            }
        }

        func receive(_ topic: String, isRetained: Bool) {
            let payload = broker.kept[topic] ?? []
            handler?(.message(topic: topic, payload: payload, isRetained: isRetained, expiry: nil))
        }

        func close() { handler = nil }
    }

    /// The bus of every device; positions of different devices are not compared.
    private static let instance = "test"

    let description = "the memory of a test"
    /// The messages by topic; in descending order, a status comes before the states of its device.
    private var kept: [String: [UInt8]] = [:]
    private var readings: [Reading] = []

    func read(_ stages: [[String]], on loop: EventLoop, handler: @escaping Handler) -> any FleetReading {
        let reading = Reading(of: self, on: loop, handler)
        readings = readings.filter { $0.handler != nil } + [reading]
        reading.ask(for: [])
        return reading
    }

    func post(_ states: [(Aspect, JSON)], on device: DeviceID, status: DeviceStatus.Reason?) {
        if !states.isEmpty { keep(nil, of: device) }
        for (aspect, value) in states { keep(value, of: aspect, on: device) }
        keep(status, of: device)
    }

    private func keep(_ value: JSON, of aspect: Aspect, on device: DeviceID) {
        let topic = FleetTopic.state(device, aspect.name).text
        let last = kept[topic].flatMap { try? StateMessage($0) }
        guard last?.value.bytes != value.bytes else { return }
        let message = StateMessage(
            instance: Self.instance, generation: (last?.generation ?? 0) + 1, changes: 1, changedAt: Clocks.wall(),
            value: value)
        keep(message.bytes, on: topic)
    }

    private func keep(_ status: DeviceStatus.Reason?, of device: DeviceID) {
        let isOnline = status == nil || status == .noBus
        let message = StatusMessage(isOnline: isOnline, reason: status, instance: Self.instance)
        keep(message.bytes, on: FleetTopic.status(device).text)
    }

    private func keep(_ payload: [UInt8], on topic: String) {
        kept[topic] = payload
        for reading in readings { reading.receive(topic, isRetained: false) }
    }
}
