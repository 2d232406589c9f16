// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The discovery message of Home Assistant for a device: a retained message that describes its entities.
///
/// Pure: the bridge publishes the messages. Home Assistant reads the states from the topics of the fleet, so a device
/// sends nothing twice. An entity shows a state only, never `changes`: Home Assistant has no place for a count.
///
/// See https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload; needs Home Assistant 2024.11 or later.
package struct Discovery: Sendable {
    /// The topic on which Home Assistant announces its start.
    package static func birthTopic(prefix: String = BridgeConfiguration.usualPrefix) -> String { "\(prefix)/status" }

    /// Returns whether a payload of the birth topic asks for the discovery message again.
    ///
    /// The discovery message is retained, so Home Assistant has it already unless the broker has lost it. A fleet that
    /// answers at once would be a storm: wait for a random time first.
    package static func isBirth(_ payload: [UInt8]) -> Bool { payload.elementsEqual("online".utf8) }

    /// The topic of a device's message; an empty one removes the device and all its entities.
    ///
    /// An escaped name has a level of its own, since it may be the name of another device, which a broker's rule with
    /// `%u` permits to publish below `reveille`.
    package static func topic(of device: DeviceID, prefix: String = BridgeConfiguration.usualPrefix) -> String {
        let name = escaped(device.text)
        return "\(prefix)/device/\(name == device.text ? "reveille" : "reveille_escaped")/\(name)/config"
    }

    private let device: DeviceID
    private let builtIn: [DiscoveryEntity]
    private let absent: [DiscoveryEntity]
    private let ofNames: [DiscoveryEntity]
    private let former: Set<String>
    private let version: String

    /// Describes a device, with the members of its published names.
    ///
    /// The former entities are the ``entities`` of the last message. An entity that is gone is removed.
    package init(
        device: DeviceID, aspects: some Sequence<String>, members: [String: [DiscoveryMember]] = [:],
        former: some Sequence<String> = EmptyCollection(), version: String
    ) {
        let aspects = Set(aspects)
        self.device = device
        builtIn = DiscoveryEntity.builtIn.filter { aspects.contains($0.aspect ?? "") }
        absent = DiscoveryEntity.builtIn.filter { !aspects.contains($0.aspect ?? "") }
        ofNames = aspects.filter { $0.utf8.contains(UInt8(ascii: ".")) }.sorted().flatMap { name in
            [DiscoveryEntity(name: name)] + (members[name] ?? []).map { DiscoveryEntity($0, of: name) }
        }
        self.former = Set(former).subtracting(ofNames.map(\.key))
        self.version = version
    }

    /// The keys of the entities of published names and their members; all are sensors.
    package var entities: [String] { ofNames.map(\.key) }

    package var payload: [UInt8] {
        var components = JSONObject()
        for entity in DiscoveryEntity.ofStatus + builtIn + ofNames {
            components[entity.key] = .object(entity.component(of: device))
        }
        // An entity that is left out stays in Home Assistant. A component with nothing but its platform removes the
        // entity.
        for entity in absent { components[entity.key] = ["p": .string(entity.platform.rawValue)] }
        for key in former.sorted() { components[key] = ["p": .string(DiscoveryEntity.Platform.sensor.rawValue)] }
        let description: JSONObject = [
            "dev": ["ids": .string(Self.identifier(of: device)), "name": .string(device.text), "sw": .string(version)],
            "o": ["name": "reveille", "sw": .string(version)],
            "availability": [availability],
            "cmps": .object(components),
        ]
        return JSON.object(description).bytes
    }

    /// When the entities are available.
    ///
    /// A device that sleeps keeps its last states, which stay true until it wakes; therefore no entity has
    /// `expire_after`. A device without its bus is not available, because nobody observes its sensors.
    private var availability: JSON {
        [
            "topic": .string(FleetTopic.status(device).text),
            "value_template": .string(
                "{{ 'online' if value_json.reason == 'asleep' or (value_json.online and value_json.reason != 'noBus')"
                    + " else 'offline' }}"),
        ]
    }

    /// The identifier of a device in Home Assistant, which consists of letters, digits, `-` and `_`.
    static func identifier(of device: DeviceID) -> String { "reveille_" + escaped(device.text) }

    /// Returns a text with `_--` in place of `.`, and `_-_` in place of `_-`.
    ///
    /// No two texts become equal. Texts with neither stay unchanged, so that the `%u` of a broker's topic rules matches
    /// them; since version 2.1, mosquitto replaces it only as a whole level of a topic.
    static func escaped(_ text: String) -> String {
        text.replacing("_-", with: "_-_").replacing(".", with: "_--")
    }
}
