// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

/// An entity of Home Assistant: one value of an aspect, or of the status of the device.
struct DiscoveryEntity: Sendable {
    enum Platform: String, Sendable {
        case sensor
        case binarySensor = "binary_sensor"
        case event
    }

    /// The separator between a name and its member in a key: no escaped text has `_-` before a letter.
    private static let memberMark = "_-m_"
    /// The most characters of a state: Home Assistant rejects a longer one.
    private static let stateLimit = 255

    /// The name of the component in the message, unique in the device.
    let key: String
    /// The aspect; `nil` for the status.
    let aspect: String?
    let platform: Platform
    /// The name that Home Assistant appends to the device's name.
    let name: String
    /// The template expression of the state; `None` for an unknown state.
    let expression: String
    /// The members that depend on the kind of the value, such as its unit.
    let traits: JSONObject

    func component(of device: DeviceID) -> JSONObject {
        let topic = JSON.string((aspect.map { FleetTopic.state(device, $0) } ?? FleetTopic.status(device)).text)
        var component: JSONObject = [
            "p": .string(platform.rawValue), "unique_id": .string("\(Discovery.identifier(of: device)).\(key)"),
            "name": .string(name), "state_topic": topic, "value_template": .string("{{ \(expression) }}"),
        ]
        for member in traits.members { component[member.name] = member.value }
        if traits["json_attributes_template"] != nil { component["json_attributes_topic"] = topic }
        return component
    }
}

extension DiscoveryEntity {
    /// The entities of the built-in aspects: one for each field that declares an entity.
    ///
    /// There are none for `motion`, whose samples are a stream, and none for `defaults` and `folders`, whose values are
    /// lists.
    static let builtIn: [DiscoveryEntity] = BuiltInAspect.onPage.flatMap { aspect in
        aspect.fields.compactMap { field in field.entity.map { DiscoveryEntity($0, of: field, in: aspect) } }
    }

    /// Whether the device sleeps, and the alarm that wakes it.
    static let ofStatus = [
        DiscoveryEntity(
            key: "asleep", aspect: nil, platform: .binarySensor, name: "Asleep",
            expression: "'ON' if value_json.reason == 'asleep' else 'OFF'",
            traits: ["entity_category": "diagnostic", "icon": "mdi:power-sleep"]),
        DiscoveryEntity(
            key: "wakes_at", aspect: nil, platform: .sensor, name: "Wakes at",
            expression: time("wakesAt", if: "value_json.reason == 'asleep'"),
            traits: ["device_class": "timestamp", "entity_category": "diagnostic"]),
    ]

    /// A time in microseconds as Home Assistant reads it; `None` without one, or without the condition.
    private static func time(_ member: String, if condition: String) -> String {
        "(value_json.\(member) / 1000000) | timestamp_custom('%Y-%m-%dT%H:%M:%S.%f+00:00', false)"
            + " if value_json.\(member) is integer and \(condition) else None"
    }

    /// An entity of a published name: when it last changed, with its value as attributes.
    init(name aspect: String) {
        self.init(
            // The name contains a '.', so its escaped form is unlike the key of a built-in aspect.
            key: Discovery.escaped(aspect), aspect: aspect, platform: .sensor, name: aspect,
            expression: Self.time(
                "changedAt", if: "value_json.synchronized is not false and value_json.value is mapping"),
            traits: [
                "device_class": "timestamp",
                "json_attributes_template": "{{ (value_json.value if value_json.value is mapping else {}) | tojson }}",
            ])
    }

    /// An entity of a member of a published name.
    init(_ member: DiscoveryMember, of aspect: String) {
        let value = "value_json.value['\(member.name)']"
        let isNumber = "\(value) is number and \(value) is not boolean"
        self.init(
            key: Discovery.escaped(aspect) + Self.memberMark + Discovery.escaped(member.name), aspect: aspect,
            platform: .sensor, name: "\(aspect) \(member.name)",
            expression: member.isNumber
                ? "\(value) if \(isNumber) else None"
                : "\(value) | string | truncate(\(Self.stateLimit), true, '', 0) if \(value) is string or \(isNumber)"
                    + " else 'true' if \(value) is true else 'false' if \(value) is false else None",
            traits: member.isNumber ? ["state_class": "measurement"] : [:])
    }

    /// Creates the entity of a field.
    ///
    /// The template tests types, since a message of another version must result in "unknown" and not in an error in
    /// Home Assistant's log.
    private init(_ entity: DashboardEntity, of field: FieldDescription, in aspect: BuiltInAspect) {
        var traits = JSONObject()
        traits["device_class"] = entity.quantity.map { .string($0) }
        if entity.isDiagnostic { traits["entity_category"] = "diagnostic" }
        traits["icon"] = entity.icon.map { .string($0) }
        let value = "value_json.value.\(field.name)"
        let isNumber = "\(value) is number and \(value) is not boolean"
        let platform: Platform
        let expression: String
        if aspect.kind == .tally {
            platform = .event
            expression = Self.occurrence(of: aspect, field.name)
            traits["event_types"] = [.string(aspect.rawValue)]
        } else {
            switch field.values {
            case .level:
                platform = .sensor
                expression = "(\(value) * 100) | round | int if \(isNumber) else None"
                traits["unit_of_measurement"] = "%"
                traits["state_class"] = "measurement"
            case .number:
                platform = .sensor
                expression = field.path.count > 1 ? Self.greatest(of: field) : "\(value) if \(isNumber) else None"
                traits["unit_of_measurement"] = entity.unit.map { .string($0) }
                traits["state_class"] = "measurement"
                traits["suggested_display_precision"] = .integer(Int64(entity.digits))
            case .words(let words, _):
                // A word of a later version is unknown, since Home Assistant refuses it.
                let words = words.filter { $0 != "unknown" }
                if let on = entity.on {
                    platform = .binarySensor
                    let off = Self.list(words.filter { $0 != on })
                    expression = "'ON' if \(value) in \(Self.list([on])) else 'OFF' if \(value) in \(off) else None"
                } else {
                    platform = .sensor
                    expression = "\(value) if \(value) in \(Self.list(words)) else None"
                    traits["device_class"] = "enum"
                    traits["options"] = .array(words.map { .string($0) })
                }
            case .flag, .bool:
                platform = .binarySensor
                expression = "'ON' if \(value) is true else 'OFF' if \(value) is false else None"
            case .text:
                platform = .sensor
                expression = "\(value) if \(value) is string else None"
            case .list, .other: preconditionFailure("\(aspect).\(field.name) cannot be one entity")
            }
        }
        self.init(
            key: entity.key, aspect: aspect.rawValue, platform: platform, name: entity.title, expression: expression,
            traits: traits)
    }

    /// An event for each occurrence.
    ///
    /// A message with `changes` 0 only restores the last state on a broker that had lost it.
    private static func occurrence(of aspect: BuiltInAspect, _ member: String) -> String {
        "{'event_type': '\(aspect)', '\(member)': value_json.value.\(member), 'changes': value_json.changes} | tojson"
            + " if value_json.value.\(member) is number and value_json.changes is integer and value_json.changes > 0"
            + " else ''"
    }

    /// The greatest number among the elements of a list, such as the temperature of the warmest pack.
    private static func greatest(of field: FieldDescription) -> String {
        let list = "value_json.value.\(field.path[0])"
        return "(\(list) if \(list) is defined and \(list) is sequence else [])"
            + " | map(attribute='\(field.ownName)') | select('number') | max | default(None)"
    }

    private static func list(_ words: [String]) -> String {
        "[" + words.map { "'\($0)'" }.joined(separator: ", ") + "]"
    }
}
