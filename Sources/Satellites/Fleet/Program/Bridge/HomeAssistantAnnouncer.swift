// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleFleetCore
import Varlink

/// Announces the device to Home Assistant if configured; otherwise removes earlier announcements.
struct HomeAssistantAnnouncer {
    private let setup: BridgeSetup
    /// The prefixes of announcements that the broker may have.
    private(set) var announced: [String]
    /// The entities of published names in the last announcement, which must be removed when they are gone.
    private(set) var entities: [String]
    /// The members of the published names on the bus.
    private var members: [String: [DiscoveryMember]] = [:]
    /// The content of the last announcement on this connection.
    private var last: Description?

    private struct Description: Equatable {
        let aspects: [String]
        let members: [String: [DiscoveryMember]]
    }

    init(_ setup: BridgeSetup, announced: [String], entities: [String]) {
        self.setup = setup
        self.announced = announced
        self.entities = entities
    }

    /// Notes the members of the names in the states of the bus.
    mutating func note(_ input: Uplink.Input) {
        let states: [BusState]
        switch input {
        case .busStarted(_, let all, _): states = all
        case .busChanged(let some), .statesRead(_, let some): states = some
        default: return
        }
        for state in states where prefix != nil && state.aspect.utf8.contains(UInt8(ascii: ".")) {
            members[state.aspect] = state.value.objectValue.map {
                DiscoveryMember.members(of: $0, before: members[state.aspect] ?? [])
            }
        }
    }

    private var prefix: String? { setup.configuration.homeAssistant }

    /// The topic on which Home Assistant announces its start.
    var filters: [String] { prefix.map { [Discovery.birthTopic(prefix: $0)] } ?? [] }

    /// The topics of former prefixes that the session may still be subscribed to.
    var formerFilters: [String] { announced.filter { $0 != prefix }.map { Discovery.birthTopic(prefix: $0) } }

    mutating func reset() { last = nil }

    /// Whether a message asks for the announcement again.
    func isReminder(_ topic: String, _ payload: [UInt8]) -> Bool {
        filters.contains(topic) && Discovery.isBirth(payload)
    }

    /// The messages to send for the aspects that the broker has now; empty if nothing has changed.
    mutating func messages(for aspects: [String]) -> [(topic: String, payload: [UInt8])] {
        let description = Description(aspects: aspects, members: members.filter { aspects.contains($0.key) })
        guard description != last else { return [] }
        last = description
        var messages = announced.filter { $0 != prefix }.map { (topic: topic(prefix: $0), payload: [UInt8]()) }
        if let prefix, !aspects.isEmpty {
            if !announced.contains(prefix) { announced.append(prefix) }
            let discovery = Discovery(
                device: setup.device, aspects: aspects, members: members, former: entities,
                version: Device.libraryVersion)
            entities = discovery.entities
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
