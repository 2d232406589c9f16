// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleFleetCore

/// Announces the device to Home Assistant if configured; otherwise removes earlier announcements.
struct HomeAssistantAnnouncer {
    private let setup: BridgeSetup
    /// The prefixes of announcements that the broker may have.
    private(set) var announced: [String]
    /// The aspects of the last announcement on this connection.
    private var aspects: [String]?

    init(_ setup: BridgeSetup, announced: [String]) {
        self.setup = setup
        self.announced = announced
    }

    private var prefix: String? { setup.configuration.homeAssistant }

    /// The topic on which Home Assistant announces its start.
    var filters: [String] { prefix.map { [Discovery.birthTopic(prefix: $0)] } ?? [] }

    /// The topics of former prefixes that the session may still be subscribed to.
    var formerFilters: [String] { announced.filter { $0 != prefix }.map { Discovery.birthTopic(prefix: $0) } }

    mutating func reset() { aspects = nil }

    /// Whether a message asks for the announcement again.
    func isReminder(_ topic: String, _ payload: [UInt8]) -> Bool {
        filters.contains(topic) && Discovery.isBirth(payload)
    }

    /// The messages to send for the aspects that the broker has now; empty if nothing has changed.
    mutating func messages(for aspects: [String]) -> [(topic: String, payload: [UInt8])] {
        guard aspects != self.aspects else { return [] }
        let former = Set(self.aspects ?? []).subtracting(aspects)
        self.aspects = aspects
        var messages = announced.filter { $0 != prefix }.map { (topic: topic(prefix: $0), payload: [UInt8]()) }
        if let prefix, !aspects.isEmpty {
            if !announced.contains(prefix) { announced.append(prefix) }
            let discovery = Discovery(
                device: setup.device, aspects: aspects, withdrawn: former, version: Device.libraryVersion)
            messages.append((topic(prefix: prefix), discovery.payload))
        }
        return messages
    }

    /// Forgets a former prefix whose announcement was removed; returns whether the topic had one.
    mutating func acknowledge(_ topic: String) -> Bool {
        let rest = announced.filter { $0 == prefix || self.topic(prefix: $0) != topic }
        defer { announced = rest }
        return rest.count < announced.count
    }

    private func topic(prefix: String) -> String { Discovery.topic(of: setup.device, prefix: prefix) }
}
