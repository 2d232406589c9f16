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
    mutating func messages(for aspects: [String]) -> [Discovery.Message] {
        guard aspects != self.aspects else { return [] }
        let former = Set(self.aspects ?? []).subtracting(aspects)
        self.aspects = aspects
        var messages: [Discovery.Message] = []
        for other in announced where other != prefix {
            messages.append(discovery(aspects, without: former, prefix: other).removal)
        }
        if let prefix, !aspects.isEmpty {
            if !announced.contains(prefix) { announced.append(prefix) }
            messages.append(discovery(aspects, without: former, prefix: prefix).announcement)
        }
        return messages
    }

    /// Forgets a former prefix whose announcement was removed; returns whether the topic had one.
    mutating func acknowledge(_ topic: String) -> Bool {
        let rest = announced.filter { $0 == prefix || discovery([], without: [], prefix: $0).removal.topic != topic }
        defer { announced = rest }
        return rest.count < announced.count
    }

    private func discovery(_ aspects: [String], without former: Set<String>, prefix: String) -> Discovery {
        Discovery(
            device: setup.device, aspects: aspects, withdrawn: former, version: Device.libraryVersion, prefix: prefix)
    }
}
