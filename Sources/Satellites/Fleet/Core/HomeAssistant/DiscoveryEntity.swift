// SPDX-License-Identifier: Apache-2.0

import Varlink

/// An entity of Home Assistant: one value of an aspect.
struct DiscoveryEntity: Sendable {
    enum Platform: String, Sendable {
        case sensor
        case binarySensor = "binary_sensor"
        case event
    }

    /// The name of the component in the message, unique in the device.
    let key: String
    let aspect: String
    let platform: Platform
    /// The name that Home Assistant appends to the device's name.
    let name: String
    /// The template expression of the state; `None` for an unknown state.
    let expression: String
    /// The members that depend on the kind of the value, such as its unit.
    let traits: JSONObject

    init(
        _ key: String, of aspect: String, _ platform: Platform, _ name: String, _ expression: String,
        _ traits: JSONObject = [:]
    ) {
        self.key = key
        self.aspect = aspect
        self.platform = platform
        self.name = name
        self.expression = expression
        self.traits = traits
    }

    /// An entity of a published name: when it last changed, with its value as attributes.
    ///
    /// The value is an object of any form, so no member of it can be the state.
    init(name aspect: String) {
        self.init(
            // The name contains a '.', so its escaped form is unlike the key of a built-in aspect.
            Discovery.escaped(aspect), of: aspect, .sensor, aspect,
            "(value_json.changedAt / 1000000) | timestamp_custom('%Y-%m-%dT%H:%M:%S.%f+00:00', false)"
                + " if value_json.changedAt is integer and value_json.synchronized is not false"
                + " and value_json.value is mapping else None",
            [
                "device_class": "timestamp",
                "json_attributes_template": "{{ (value_json.value if value_json.value is mapping else {}) | tojson }}",
            ])
    }

    func component(of device: DeviceID) -> JSONObject {
        let topic = JSON.string(FleetTopic.state(device, aspect).text)
        var component: JSONObject = [
            "p": .string(platform.rawValue), "unique_id": .string("\(Discovery.identifier(of: device)).\(key)"),
            "name": .string(name), "state_topic": topic, "value_template": .string("{{ \(expression) }}"),
        ]
        for member in traits.members { component[member.name] = member.value }
        if traits["json_attributes_template"] != nil { component["json_attributes_topic"] = topic }
        return component
    }
}
